// SPDX-License-Identifier: Apache-2.0
// GPU tracing: which accesses of a function one counter counts, and which counters a loop keeps in
// registers.
#include "gpu/counter_sharing.h"

#include "gpu/variable_uses.h"
#include "gpu/warp_uniform.h"
#include "model/body_walker.h"
#include "parse/statement_tokens.h"

#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace relayout::instrument {
namespace {

using clang::cast;
using clang::dyn_cast;
using clang::isa;

/// Registers that counters of one function may take: two a counter.
constexpr int kMostCounters = 12;

/// Where a stretch of code begins that runs as a whole: what branches around it tell apart by its
/// place, so that instantiations of a template can be compared.
struct Stretch {
  enum class Opens { With, Behind };
  StablePlace place;
  Opens opens = Opens::With;
  bool isInLoop = false;
  /// The outermost loop that all lanes which enter it run alike, up to this stretch.
  std::optional<TokenRange> together;

  auto operator<=>(const Stretch &) const = default;
};

bool isLoop(const clang::Stmt *statement) {
  return isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(statement);
}

/// What a loop repeats, in pieces of which one may run once more than the others, or between which
/// `continue` may jump. Some may be null.
std::vector<const clang::Stmt *> partsOf(const clang::Stmt *loop) {
  if (const auto *counted = dyn_cast<clang::ForStmt>(loop))
    return {counted->getConditionVariableDeclStmt(), counted->getCond(), counted->getBody(),
            counted->getInc()};
  if (const auto *tested = dyn_cast<clang::WhileStmt>(loop))
    return {tested->getConditionVariableDeclStmt(), tested->getCond(), tested->getBody()};
  if (const auto *repeated = dyn_cast<clang::DoStmt>(loop))
    return {repeated->getBody(), repeated->getCond()};
  const auto *range = cast<clang::CXXForRangeStmt>(loop);
  return {range->getLoopVarStmt(), range->getBody()};
}

/// Finds the stretch of every expression of a function.
class StretchWalker {
public:
  /// \param onLoop  called for each loop: whether its lanes may leave it at different times, and
  ///                whether it has a pragma
  StretchWalker(const WalkContext &context,
                std::function<void(const clang::Expr *, Stretch)> onExpr,
                std::function<void(const clang::Stmt *, bool, bool)> onLoop)
      : context_(context), onExpr_(std::move(onExpr)), onLoop_(std::move(onLoop)) {}

  /// \returns false when control flows in a way that is not followed: nothing is known then
  [[nodiscard]] bool walkFunction(const clang::FunctionDecl *function) {
    uses_ = usesIn(function);
    lanes_.emplace(context_.unit.ast(), function, uses_);
    here_ = {context_.stable(function->getBody()->getBeginLoc()), Stretch::Opens::With, false, {}};
    counters_.clear();
    walk(function->getBody());
    return isFollowed_;
  }

  /// Of the function that was walked last.
  [[nodiscard]] const VariableUses &uses() const { return uses_; }

private:
  void walk(const clang::Stmt *statement) {
    if (!statement)
      return;
    switch (statement->getStmtClass()) {
    case clang::Stmt::CompoundStmtClass:
      return walkSequence(cast<clang::CompoundStmt>(statement), false);
    case clang::Stmt::IfStmtClass:
      return walkIf(cast<clang::IfStmt>(statement));
    case clang::Stmt::SwitchStmtClass:
      return walkSwitch(cast<clang::SwitchStmt>(statement));
    case clang::Stmt::ForStmtClass:
    case clang::Stmt::WhileStmtClass:
    case clang::Stmt::DoStmtClass:
    case clang::Stmt::CXXForRangeStmtClass:
      return walkLoop(statement, false);
    case clang::Stmt::AttributedStmtClass:
      if (const clang::Stmt *inner = cast<clang::AttributedStmt>(statement)->getSubStmt();
          isLoop(inner))
        return walkLoop(inner, true);
      break;
    case clang::Stmt::LabelStmtClass:
    case clang::Stmt::CaseStmtClass: // one deep inside a switch's body
    case clang::Stmt::DefaultStmtClass:
    case clang::Stmt::CXXTryStmtClass:
    case clang::Stmt::StmtExprClass:
      isFollowed_ = false;
      break;
    case clang::Stmt::LambdaExprClass: // its body is a function of its own
      for (const clang::Expr *captured : cast<clang::LambdaExpr>(statement)->capture_inits())
        walk(captured);
      return;
    case clang::Stmt::ConditionalOperatorClass:
      return walkConditional(cast<clang::ConditionalOperator>(statement));
    case clang::Stmt::BinaryConditionalOperatorClass: {
      const auto *choice = cast<clang::BinaryConditionalOperator>(statement);
      walk(choice->getCommon());
      return walkApart(choice->getFalseExpr());
    }
    case clang::Stmt::BinaryOperatorClass:
      if (const auto *binary = cast<clang::BinaryOperator>(statement); binary->isLogicalOp()) {
        walk(binary->getLHS());
        return walkApart(binary->getRHS());
      }
      break;
    default:
      break;
    }
    for (const clang::Stmt *child : statement->children())
      walk(child);
    if (const auto *expression = dyn_cast<clang::Expr>(statement))
      onExpr_(expression, here_);
  }

  void walkIf(const clang::IfStmt *branch) {
    walk(branch->getInit());
    walk(branch->getConditionVariableDeclStmt());
    walk(branch->getCond());
    // Constant expressions, as those of `if constexpr`, are among what lanes agree on.
    const bool isAgreed = branch->getCond() && lanes_->agreeOn(branch->getCond(), counters_);
    walkApart(branch->getThen(), isAgreed);
    walkApart(branch->getElse(), isAgreed);
  }

  void walkSwitch(const clang::SwitchStmt *choice) {
    walk(choice->getInit());
    walk(choice->getConditionVariableDeclStmt());
    walk(choice->getCond());
    const auto *body = dyn_cast<clang::CompoundStmt>(choice->getBody());
    if (!body) {
      isFollowed_ = false;
      return;
    }
    apart([&] {
      part(body, Stretch::Opens::With);
      walkSequence(body, true);
    });
  }

  void walkConditional(const clang::ConditionalOperator *choice) {
    walk(choice->getCond());
    walkApart(choice->getTrueExpr());
    walkApart(choice->getFalseExpr());
    onExpr_(choice, here_);
  }

  /// Goes on with a stretch that begins with or behind this statement.
  /// \param isAgreed  all lanes run it that ran what stands around it, or none
  void part(const clang::Stmt *statement, Stretch::Opens opens, bool isAgreed = false) {
    const bool begins = opens == Stretch::Opens::With;
    here_.place = context_.stable(begins ? statement->getBeginLoc() : statement->getEndLoc());
    here_.opens = opens;
    if (isAgreed)
      return;
    here_.together.reset();
    counters_.clear();
  }

  template <class Walk> void apart(Walk walkIt) {
    const Stretch outer = here_;
    const EqualLanes::Variables counters = counters_;
    walkIt();
    here_ = outer;
    counters_ = counters;
  }

  /// What other lanes run, or another number of times, than what stands around it.
  void walkApart(const clang::Stmt *statement, bool isAgreed = false) {
    if (!statement)
      return;
    apart([&] {
      part(statement, Stretch::Opens::With, isAgreed);
      walk(statement);
    });
  }

  /// \param hasPragma  or another attribute
  void walkLoop(const clang::Stmt *statement, bool hasPragma) {
    const auto *counted = dyn_cast<clang::ForStmt>(statement);
    if (counted)
      walk(counted->getInit());
    if (const auto *range = dyn_cast<clang::CXXForRangeStmt>(statement)) {
      walk(range->getInit());
      walk(range->getRangeStmt());
    }
    apart([&] {
      const EqualLanes::Variables agreed =
          counted ? lanes_->agreedCounters(counted, counters_) : EqualLanes::Variables{};
      // What counts for the loop as a whole stands before it, and would part it from its pragma.
      if (!here_.together && !agreed.empty() && !hasPragma)
        here_.together = tokensOf(context_.tokens, statement);
      const bool isAgreed = !agreed.empty() && here_.together;
      if (isAgreed)
        counters_.insert(agreed.begin(), agreed.end());
      onLoop_(statement, !isAgreed, hasPragma);
      here_.isInLoop = true;
      for (const clang::Stmt *part : partsOf(statement))
        walkApart(part, isAgreed);
    });
  }

  void walkSequence(const clang::CompoundStmt *sequence, bool isSwitch) {
    for (const clang::Stmt *child : sequence->body()) {
      while (const auto *option = isSwitch ? dyn_cast<clang::SwitchCase>(child) : nullptr) {
        part(option, Stretch::Opens::With);
        child = option->getSubStmt();
      }
      walk(child);
      if (jumpsOut(child))
        part(child, Stretch::Opens::Behind);
    }
  }

  const WalkContext &context_;
  std::function<void(const clang::Expr *, Stretch)> onExpr_;
  std::function<void(const clang::Stmt *, bool, bool)> onLoop_;
  VariableUses uses_;
  std::optional<EqualLanes> lanes_;
  Stretch here_;
  EqualLanes::Variables counters_; ///< of loops around that lanes agree on here
  bool isFollowed_ = true;
};

/// What an accessed object is part of, as far as that tells the kind of memory.
struct Memory {
  bool isGlobal = false;
  StablePlace variable; ///< else that of the pointer or reference it was reached through

  auto operator<=>(const Memory &) const = default;
};

/// Where a function's text has an expansion of a pack in it.
std::vector<TokenRange> expansionsIn(const ReadUnit &unit, const clang::FunctionDecl *pattern) {
  class Search : public clang::RecursiveASTVisitor<Search> {
  public:
    explicit Search(const TokenEdits &edits) : edits_(edits) {}
    bool VisitPackExpansionExpr(clang::PackExpansionExpr *expansion) { return add(expansion); }
    bool VisitCXXFoldExpr(clang::CXXFoldExpr *fold) { return add(fold); }
    std::vector<TokenRange> found;

  private:
    bool add(const clang::Expr *expression) {
      const auto first = edits_.indexOf(expression->getBeginLoc());
      const auto last = edits_.indexOf(expression->getEndLoc());
      if (first && last)
        found.push_back({*first, *last});
      return true;
    }
    const TokenEdits &edits_;
  } search(*unit.edits);
  search.TraverseStmt(pattern->getBody());
  return std::move(search.found);
}

class Sharing {
public:
  explicit Sharing(UnitReading &unit) : read_(unit), facts_(unit.facts) {}

  void run() {
    const WalkContext context{*read_.host.unit, *read_.host.edits, facts_, true,
                              [](const clang::Expr *) { return trace::kNone; }};
    for (const auto &[function, index] : read_.host.found.instanceOf) {
      const SourceFunction *source = read_.host.found.instances[index].source;
      bool &isFollowed = isFollowed_.try_emplace(source, true).first->second;
      StretchWalker walker(
          context,
          [&](const clang::Expr *expression, const Stretch &stretch) {
            noteAccess(context, expression, stretch);
          },
          [&](const clang::Stmt *loop, bool partsLanes, bool hasPragma) {
            if (Point *point = loopAt(context, loop)) {
              point->partsLanes |= partsLanes && !hasPragma;
              point->hasPragma |= hasPragma;
            }
          });
      isFollowed &= walker.walkFunction(function) && source->hostText == source->deviceText;
      reassigned_.insert(walker.uses().reassigned.begin(), walker.uses().reassigned.end());
      forgetExpanded(patternOf(function), *source);
    }
    for (auto &[place, function] : facts_.functions)
      if (function.takesProbes)
        share(context, function);
  }

private:
  /// The stretch of the access that this expression is, if it is one.
  void noteAccess(const WalkContext &context, const clang::Expr *expression,
                  const Stretch &stretch) {
    const StablePlace begin = context.stable(expression->getBeginLoc());
    const StablePlace end = context.stable(expression->getEndLoc());
    for (const PointKind kind : {PointKind::Read, PointKind::Write, PointKind::Atomic}) {
      const auto found = facts_.pointAt.find({begin, end, kind});
      if (found == facts_.pointAt.end())
        continue;
      const auto [known, isNew] = stretchOf_.try_emplace(found->second, stretch);
      if (!isNew && known->second != stretch)
        known->second.reset();
    }
  }

  [[nodiscard]] Point *loopAt(const WalkContext &context, const clang::Stmt *loop) const {
    const StablePlace begin = context.stable(loop->getBeginLoc());
    const auto found = facts_.pointAt.find({begin, begin, PointKind::Loop});
    return found != facts_.pointAt.end() ? found->second : nullptr;
  }

  /// What a pack is expanded in stands there once, and is run any number of times.
  void forgetExpanded(const clang::FunctionDecl *pattern, const SourceFunction &source) {
    for (const TokenRange &range : expansionsIn(read_.host, pattern))
      for (const Point *point : source.points)
        if (point->inHostPass && range.first <= point->firstToken && point->lastToken <= range.last)
          stretchOf_[point].reset();
  }

  /// \param object  a pointer, or an object of a record
  [[nodiscard]] std::optional<Memory> memoryOf(const WalkContext &context,
                                               const clang::Expr *object) const {
    object = object->IgnoreParenImpCasts();
    if (const auto *sum = dyn_cast<clang::BinaryOperator>(object);
        sum && sum->isAdditiveOp() && object->getType()->isPointerType())
      return memoryOf(context,
                      sum->getLHS()->getType()->isPointerType() ? sum->getLHS() : sum->getRHS());
    if (const auto *unary = dyn_cast<clang::UnaryOperator>(object);
        unary && (unary->getOpcode() == clang::UO_AddrOf || unary->getOpcode() == clang::UO_Deref))
      return memoryOf(context, unary->getSubExpr());
    if (const auto *element = dyn_cast<clang::ArraySubscriptExpr>(object);
        element && !element->getType()->isPointerType())
      return memoryOf(context, element->getBase());
    bool isMember = false;
    while (const auto *member = dyn_cast<clang::MemberExpr>(object)) {
      if (member->isArrow())
        return std::nullopt;
      isMember = true;
      object = member->getBase()->IgnoreParenImpCasts();
    }
    const auto *name = dyn_cast<clang::DeclRefExpr>(object);
    const auto *variable = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
    if (!variable || reassigned_.contains(variable))
      return std::nullopt;
    const clang::QualType type = variable->getType();
    // Nobody can hand a kernel a pointer to shared or local memory.
    if (const auto *function = dyn_cast<clang::FunctionDecl>(variable->getDeclContext());
        function && isa<clang::ParmVarDecl>(variable) &&
        function->hasAttr<clang::CUDAGlobalAttr>() && (type->isPointerType() || isMember))
      return Memory{true, {}};
    if (isMember || (!type->isPointerType() && !type->isReferenceType()))
      return std::nullopt;
    if (variable->hasInit() && !isa<clang::ParmVarDecl>(variable))
      if (const auto memory = memoryOf(context, variable->getInit()))
        return memory;
    return Memory{false, context.stable(variable->getLocation())};
  }

  [[nodiscard]] std::optional<Memory> memoryOf(const WalkContext &context,
                                               const Point &point) const {
    std::optional<Memory> memory;
    for (const clang::Expr *object : point.objects) {
      const auto one = memoryOf(context, object);
      if (!one || (memory && *memory != *one))
        return std::nullopt;
      memory = one;
    }
    return memory;
  }

  void share(const WalkContext &context, SourceFunction &function) {
    const auto followed = isFollowed_.find(&function);
    const bool isFollowed = followed != isFollowed_.end() && followed->second;
    std::map<std::pair<Stretch, Memory>, Point *> first;
    int counters = 0;
    for (Point *point : function.points) {
      if (point->id == 0 || !point->inHostPass || point->kind == PointKind::Loop ||
          point->kind == PointKind::Call || point->firstToken <= function.bodyBrace)
        continue;
      point->isInBody = true;
      if (point->isPartner)
        continue; // counted with the read that goes before it
      const auto stretch = stretchOf_.find(point);
      const auto memory = memoryOf(context, *point);
      if (isFollowed && stretch != stretchOf_.end() && stretch->second && memory) {
        const auto [counted, isFirst] = first.try_emplace({*stretch->second, *memory}, point);
        if (!isFirst)
          point->countedBy = counted->second;
      }
      if (point->partner)
        point->partner->countedBy = point->countedBy ? point->countedBy : point;
      if (!point->countedBy && point->loop != nullptr && counters < kMostCounters) {
        point->counter = counters++;
        // Elsewhere, only each access tells whether it is in global memory.
        if (isFollowed && stretch != stretchOf_.end() && stretch->second && memory &&
            memory->isGlobal)
          point->together = stretch->second->together;
      }
    }
  }

  UnitReading &read_;
  Facts &facts_;
  std::map<const Point *, std::optional<Stretch>> stretchOf_; ///< none: instantiations disagree
  std::map<const SourceFunction *, bool> isFollowed_;
  VariableUses::Variables reassigned_; ///< may come to point elsewhere
};

} // namespace

void shareCounts(UnitReading &unit) { Sharing(unit).run(); }

} // namespace relayout::instrument
