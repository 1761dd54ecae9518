// SPDX-License-Identifier: Apache-2.0
// Puts the model's probes into the text of a program for the CPU executor, which needs to know
// loops and calls to group lanes.
#include "host/lowering_edits.h"
#include "model/constant_functions.h"
#include "parse/statement_tokens.h"
#include "probes/access_probes.h"

#include <clang/AST/StmtCXX.h>

#include <fmt/format.h>

#include <optional>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using Index = TokenEdits::Index;

class ProbeInserter {
public:
  ProbeInserter(UnitReading &unit, std::vector<Diagnostic> &findings)
      : unit_(*unit.host.unit), facts_(unit.facts), edits_(*unit.host.edits), findings_(findings) {}

  void run() {
    // Of edits with equal ranges the first is the outer one: a loop's around its condition, an
    // access around the call that yields what is accessed.
    for (auto &[place, function] : facts_.functions) {
      if (!function.takesProbes)
        continue;
      for (const Point *point : function.points)
        if (isEditable(*point) && point->kind == PointKind::Loop)
          insertLoop(*point);
      for (const Point *point : function.outerFirst())
        if (isEditable(*point) && point->kind != PointKind::Loop &&
            point->kind != PointKind::Call && !point->isPartner)
          insertAccess(*point);
      for (const Point *point : function.points)
        if (isEditable(*point) && point->kind == PointKind::Call)
          edits_.wrap(point->firstToken, point->lastToken,
                      fmt::format("(::relayout::probe::call({}u), ", point->id), ")");
      if (function.isTraced && !function.isKernel)
        edits_.insertAfter(function.bodyBrace, " ::relayout::probe::CallScope relayoutCall;");
    }
    if (hasConstexprProbes(facts_))
      dropConstexpr(unit_, edits_);
  }

private:
  static bool isEditable(const Point &point) { return point.id != 0 && point.inHostPass; }

  void insertAccess(const Point &point) {
    const char *const call = point.partner                     ? "readWrite"
                             : point.kind == PointKind::Atomic ? "atomic"
                             : point.kind == PointKind::Read   ? "read"
                                                               : "write";
    const std::string partner = point.partner ? fmt::format("{}u, ", point.partner->id) : "";
    insertProbe(edits_, point,
                fmt::format("::relayout::probe::{}({}u, {}", call, point.id, partner));
  }

  void insertLoop(const Point &point) {
    const clang::Stmt *loop = point.loopStatement;
    const std::string scope = fmt::format("relayoutLoop{}", point.id);
    const std::string next = scope + ".next()";
    const auto range = tokensOf(edits_, loop);
    if (!range || !(point.isBare ? insertInBody(edits_, loop, next) : insertNext(loop, next))) {
      findings_.push_back({Severity::Warning,
                           Code::NotTraceable,
                           "this loop's iterations are not traced: its text cannot be edited",
                           point.place,
                           {}});
      return;
    }
    edits_.wrap(range->first, range->last,
                fmt::format("for (::relayout::probe::{0} {1}({2}u); {1}.once();) ",
                            point.isBare ? "BareLoopScope" : "LoopScope", scope, point.id),
                {});
  }

  /// Marks the start of every iteration: in the condition where there is room, else in the body.
  bool insertNext(const clang::Stmt *loop, const std::string &next) {
    if (const auto *counted = dyn_cast<clang::ForStmt>(loop)) {
      if (!counted->getConditionVariable()) {
        if (counted->getCond())
          return wrapCondition(counted->getCond(), next);
        const auto semicolon = firstSemicolon(edits_, counted);
        if (semicolon)
          edits_.insertAfter(*semicolon, fmt::format(" ({}, true)", next));
        return semicolon.has_value();
      }
    } else if (const auto *tested = dyn_cast<clang::WhileStmt>(loop)) {
      if (!tested->getConditionVariable())
        return wrapCondition(tested->getCond(), next);
    }
    return insertInBody(edits_, loop, next);
  }

  bool wrapCondition(const clang::Expr *condition, const std::string &next) {
    const auto first = edits_.indexOf(condition->getBeginLoc());
    const auto last = edits_.indexOf(condition->getEndLoc());
    if (!first || !last)
      return false;
    edits_.wrap(*first, *last, fmt::format("({}, ", next), ")");
    return true;
  }

  ParsedUnit &unit_;
  Facts &facts_;
  TokenEdits &edits_;
  std::vector<Diagnostic> &findings_;
};

} // namespace

void insertProbes(UnitReading &unit, std::vector<Diagnostic> &findings) {
  ProbeInserter(unit, findings).run();
}

} // namespace relayout::instrument
