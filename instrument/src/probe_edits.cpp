// SPDX-License-Identifier: Apache-2.0
// Puts the model's probes into the program's text.
#include "lowering_edits.h"
#include "shared_counts.h"

#include <clang/AST/StmtCXX.h>

#include <fmt/format.h>

#include <map>

namespace relayout::instrument {
namespace {

using clang::cast;
using clang::dyn_cast;
using clang::isa;
using Index = TokenEdits::Index;

/// The last token of a statement, its semicolon included.
std::optional<Index> lastToken(const TokenEdits &edits, const clang::Stmt *statement) {
  if (!statement)
    return std::nullopt;
  const clang::Stmt *inner = nullptr;
  if (const auto *branch = dyn_cast<clang::IfStmt>(statement))
    inner = branch->getElse() ? branch->getElse() : branch->getThen();
  else if (const auto *counted = dyn_cast<clang::ForStmt>(statement))
    inner = counted->getBody();
  else if (const auto *tested = dyn_cast<clang::WhileStmt>(statement))
    inner = tested->getBody();
  else if (const auto *range = dyn_cast<clang::CXXForRangeStmt>(statement))
    inner = range->getBody();
  else if (const auto *choice = dyn_cast<clang::SwitchStmt>(statement))
    inner = choice->getBody();
  else if (const auto *option = dyn_cast<clang::SwitchCase>(statement))
    inner = option->getSubStmt();
  else if (const auto *label = dyn_cast<clang::LabelStmt>(statement))
    inner = label->getSubStmt();
  else if (const auto *attributed = dyn_cast<clang::AttributedStmt>(statement))
    inner = attributed->getSubStmt();
  if (inner)
    return lastToken(edits, inner);
  const auto end = edits.indexOf(statement->getEndLoc());
  if (!end || isa<clang::CompoundStmt>(statement) || edits.token(*end).is(clang::tok::semi))
    return end;
  if (*end + 1 < edits.size() && edits.token(*end + 1).is(clang::tok::semi))
    return *end + 1;
  return std::nullopt;
}

class ProbeInserter {
public:
  ProbeInserter(ReadProgram &program, ProbeTarget target)
      : program_(program), target_(target), facts_(program.facts), edits_(*program.host.edits),
        findings_(program.model.findings) {}

  void run() {
    // Of edits with equal ranges the first is the outer one: a loop's around its condition, an
    // access around the call that yields what is accessed.
    trace::Index kernel = 0;
    if (target_ != ProbeTarget::Host)
      shareCounts(program_);
    for (auto &[place, function] : facts_.functions) {
      const trace::Index index = function.isKernel ? kernel++ : trace::kNone;
      if (!function.takesProbes)
        continue;
      for (const Point *point : function.points)
        if (target_ == ProbeTarget::Host && isEditable(*point) && point->kind == PointKind::Loop)
          insertLoop(*point);
      for (const Point *point : function.points)
        if (isEditable(*point) && point->kind != PointKind::Loop &&
            point->kind != PointKind::Call && !point->isPartner)
          insertAccess(function, *point);
      if (target_ != ProbeTarget::Host) {
        beginOnGpu(function, index);
        continue;
      }
      for (const Point *point : function.points)
        if (isEditable(*point) && point->kind == PointKind::Call)
          edits_.wrap(point->firstToken, point->lastToken,
                      fmt::format("(::relayout::probe::call({}u), ", point->id), ")");
      if (function.isTraced && !function.isKernel)
        edits_.insertAfter(function.bodyBrace, " ::relayout::probe::CallScope relayoutCall;");
    }
  }

private:
  static bool isEditable(const Point &point) { return point.id != 0 && point.inHostPass; }

  /// Unique, so that a lambda's does not hide that of the function around it.
  static std::string countsName(const SourceFunction &function) {
    return fmt::format("relayoutCounts{}", function.bodyBrace);
  }

  /// Tells which kernel runs, and makes room for the counters of this function's loops.
  void beginOnGpu(const SourceFunction &function, trace::Index kernel) {
    // What a linked kernel calls, nobody can see here.
    if (!function.isTraced && !(function.isKernel && target_ == ProbeTarget::LinkedGpu))
      return;
    std::string text;
    if (function.isKernel)
      text += fmt::format(" ::relayout::probe::kernel({}u);", kernel);
    std::map<int, std::uint32_t> siteOf;
    bool isUsed = false;
    for (const Point *point : function.points) {
      isUsed |= point->isInBody;
      if (point->counter >= 0)
        siteOf[point->counter] = point->id;
    }
    std::string sites;
    for (const auto &[counter, site] : siteOf)
      sites += fmt::format("{}{}u", sites.empty() ? "" : ", ", site);
    if (isUsed)
      text += fmt::format(" ::relayout::probe::Counts<{}> {};", sites, countsName(function));
    if (!text.empty())
      edits_.insertAfter(function.bodyBrace, text);
  }

  /// How an access of a device function is counted: its probe's template argument.
  static std::string counting(const Point &point) {
    return point.countedBy      ? "::relayout::probe::kByAnother"
           : point.counter >= 0 ? std::to_string(point.counter)
                                : "::relayout::probe::kAtOnce";
  }

  void insertAccess(const SourceFunction &function, const Point &point) {
    const char *const call = point.partner                     ? "readWrite"
                             : point.kind == PointKind::Atomic ? "atomic"
                             : point.kind == PointKind::Read   ? "read"
                                                               : "write";
    const std::string partner = point.partner ? fmt::format("{}u, ", point.partner->id) : "";
    const std::string probe =
        !point.isInBody ? fmt::format("::relayout::probe::{}", call)
                        : fmt::format("{}.{}<{}>", countsName(function), call, counting(point));
    edits_.wrap(point.firstToken, point.lastToken,
                fmt::format("({}({}u, {}", probe, point.id, partner), "))");
  }

  void insertLoop(const Point &point) {
    const clang::Stmt *loop = point.loopStatement;
    const std::string scope = fmt::format("relayoutLoop{}", point.id);
    const auto end =
        isa<clang::DoStmt>(loop) ? edits_.indexOf(loop->getEndLoc()) : lastToken(edits_, loop);
    if (!end || !insertNext(loop, scope)) {
      findings_.push_back({Severity::Warning,
                           "RL-I07",
                           "this loop's iterations are not traced: its text cannot be edited",
                           point.place,
                           {}});
      return;
    }
    edits_.wrap(
        point.firstToken, *end,
        fmt::format("for (::relayout::probe::LoopScope {0}({1}u); {0}.once();) ", scope, point.id),
        {});
  }

  /// Marks the start of every iteration: in the condition where there is room, else in the body.
  bool insertNext(const clang::Stmt *loop, const std::string &scope) {
    const std::string next = scope + ".next()";
    const clang::Stmt *body = nullptr;
    if (const auto *counted = dyn_cast<clang::ForStmt>(loop)) {
      body = counted->getBody();
      if (!counted->getConditionVariable()) {
        if (counted->getCond())
          return wrapCondition(counted->getCond(), next);
        const auto semicolon = firstSemicolon(counted);
        if (semicolon)
          edits_.insertAfter(*semicolon, fmt::format(" ({}, true)", next));
        return semicolon.has_value();
      }
    } else if (const auto *tested = dyn_cast<clang::WhileStmt>(loop)) {
      body = tested->getBody();
      if (!tested->getConditionVariable())
        return wrapCondition(tested->getCond(), next);
    } else if (const auto *range = dyn_cast<clang::CXXForRangeStmt>(loop)) {
      body = range->getBody();
    } else {
      body = cast<clang::DoStmt>(loop)->getBody();
    }
    const auto first = edits_.indexOf(body->getBeginLoc());
    const auto last = lastToken(edits_, body);
    if (!first || !last)
      return false;
    if (isa<clang::CompoundStmt>(body))
      edits_.insertAfter(*first, fmt::format(" {};", next));
    else
      edits_.wrap(*first, *last, fmt::format("{{ {}; ", next), " }");
    return true;
  }

  bool wrapCondition(const clang::Expr *condition, const std::string &next) {
    const auto first = edits_.indexOf(condition->getBeginLoc());
    const auto last = edits_.indexOf(condition->getEndLoc());
    if (!first || !last)
      return false;
    edits_.wrap(*first, *last, fmt::format("({}, ", next), ")");
    return true;
  }

  std::optional<Index> firstSemicolon(const clang::ForStmt *loop) const {
    const auto open = edits_.indexOf(loop->getLParenLoc());
    if (!open)
      return std::nullopt;
    int depth = 0;
    for (Index i = *open + 1; i < edits_.size() && depth >= 0; ++i) {
      const clang::Token &token = edits_.token(i);
      if (token.isOneOf(clang::tok::l_paren, clang::tok::l_brace, clang::tok::l_square))
        ++depth;
      else if (token.isOneOf(clang::tok::r_paren, clang::tok::r_brace, clang::tok::r_square))
        --depth;
      else if (depth == 0 && token.is(clang::tok::semi))
        return i;
    }
    return std::nullopt;
  }

  ReadProgram &program_;
  ProbeTarget target_;
  Facts &facts_;
  TokenEdits &edits_;
  std::vector<Diagnostic> &findings_;
};

} // namespace

void insertProbes(ReadProgram &program, ProbeTarget target) {
  ProbeInserter(program, target).run();
}

} // namespace relayout::instrument
