// SPDX-License-Identifier: Apache-2.0
// GPU tracing: which accesses of a function one counter counts, and which counters a loop keeps in
// registers.
#include "shared_counts.h"

#include "body_walker.h"

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

  auto operator<=>(const Stretch &) const = default;
};

/// Whether control can leave this statement for elsewhere than the next one.
bool jumpsOut(const clang::Stmt *statement, bool isInLoop = false, bool isInSwitch = false) {
  if (!statement || isa<clang::LambdaExpr>(statement))
    return false;
  if (isa<clang::ReturnStmt, clang::GotoStmt, clang::IndirectGotoStmt, clang::AsmStmt>(statement))
    return true;
  if (isa<clang::ContinueStmt>(statement))
    return !isInLoop;
  if (isa<clang::BreakStmt>(statement))
    return !isInLoop && !isInSwitch;
  isInLoop |=
      isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(statement);
  isInSwitch |= isa<clang::SwitchStmt>(statement);
  return std::ranges::any_of(statement->children(), [&](const clang::Stmt *child) {
    return jumpsOut(child, isInLoop, isInSwitch);
  });
}

/// Finds the stretch of every expression of a function.
class StretchWalker {
public:
  StretchWalker(const WalkContext &context,
                std::function<void(const clang::Expr *, Stretch)> onExpr)
      : context_(context), onExpr_(std::move(onExpr)) {}

  /// \returns false when control flows in a way that is not followed: nothing is known then
  [[nodiscard]] bool walkFunction(const clang::FunctionDecl *function) {
    here_ = {context_.stable(function->getBody()->getBeginLoc()), Stretch::Opens::With, false};
    walk(function->getBody());
    return isFollowed_;
  }

private:
  void walk(const clang::Stmt *statement) {
    if (!statement)
      return;
    switch (statement->getStmtClass()) {
    case clang::Stmt::CompoundStmtClass:
      return walkSequence(cast<clang::CompoundStmt>(statement), false);
    case clang::Stmt::IfStmtClass: {
      const auto *branch = cast<clang::IfStmt>(statement);
      walk(branch->getInit());
      walk(branch->getConditionVariableDeclStmt());
      walk(branch->getCond());
      walkApart(branch->getThen());
      return walkApart(branch->getElse());
    }
    case clang::Stmt::SwitchStmtClass: {
      const auto *choice = cast<clang::SwitchStmt>(statement);
      walk(choice->getInit());
      walk(choice->getConditionVariableDeclStmt());
      walk(choice->getCond());
      const auto *body = dyn_cast<clang::CompoundStmt>(choice->getBody());
      if (!body) {
        isFollowed_ = false;
        return;
      }
      const Stretch outer = here_;
      here_ = at(body, Stretch::Opens::With);
      walkSequence(body, true);
      here_ = outer;
      return;
    }
    case clang::Stmt::ForStmtClass: {
      const auto *loop = cast<clang::ForStmt>(statement);
      walk(loop->getInit());
      return walkLoop({loop->getConditionVariableDeclStmt(), loop->getCond()},
                      {loop->getBody(), loop->getInc()});
    }
    case clang::Stmt::WhileStmtClass: {
      const auto *loop = cast<clang::WhileStmt>(statement);
      return walkLoop({loop->getConditionVariableDeclStmt(), loop->getCond()}, {loop->getBody()});
    }
    case clang::Stmt::DoStmtClass: {
      const auto *loop = cast<clang::DoStmt>(statement);
      return walkLoop({}, {loop->getBody(), loop->getCond()});
    }
    case clang::Stmt::CXXForRangeStmtClass: {
      const auto *loop = cast<clang::CXXForRangeStmt>(statement);
      walk(loop->getInit());
      walk(loop->getRangeStmt());
      return walkLoop({}, {loop->getLoopVarStmt(), loop->getBody()});
    }
    case clang::Stmt::LabelStmtClass:
    case clang::Stmt::CaseStmtClass: // one deep inside a switch's body
    case clang::Stmt::DefaultStmtClass:
    case clang::Stmt::CXXTryStmtClass:
    case clang::Stmt::StmtExprClass:
      isFollowed_ = false;
      return;
    case clang::Stmt::LambdaExprClass: // its body is a function of its own
      for (const clang::Expr *captured : cast<clang::LambdaExpr>(statement)->capture_inits())
        walk(captured);
      return;
    case clang::Stmt::ConditionalOperatorClass: {
      const auto *choice = cast<clang::ConditionalOperator>(statement);
      walk(choice->getCond());
      walkApart(choice->getTrueExpr());
      walkApart(choice->getFalseExpr());
      return onExpr_(choice, here_);
    }
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

  [[nodiscard]] Stretch at(const clang::Stmt *statement, Stretch::Opens opens) const {
    const bool begins = opens == Stretch::Opens::With;
    return {context_.stable(begins ? statement->getBeginLoc() : statement->getEndLoc()), opens,
            here_.isInLoop};
  }

  /// What other lanes run, or another number of times, than what stands around it.
  void walkApart(const clang::Stmt *statement) {
    if (!statement)
      return;
    const Stretch outer = here_;
    here_ = at(statement, Stretch::Opens::With);
    walk(statement);
    here_ = outer;
  }

  using Parts = std::initializer_list<const clang::Stmt *>;

  /// \param tested    runs once more than the rest
  /// \param repeated  parts between which `continue` and `break` may jump
  void walkLoop(Parts tested, Parts repeated) {
    const Stretch outer = here_;
    here_.isInLoop = true;
    for (const clang::Stmt *part : tested)
      walkApart(part);
    for (const clang::Stmt *part : repeated)
      walkApart(part);
    here_ = outer;
  }

  void walkSequence(const clang::CompoundStmt *sequence, bool isSwitch) {
    for (const clang::Stmt *child : sequence->body()) {
      while (const auto *option = isSwitch ? dyn_cast<clang::SwitchCase>(child) : nullptr) {
        here_ = at(option, Stretch::Opens::With);
        child = option->getSubStmt();
      }
      walk(child);
      if (jumpsOut(child))
        here_ = at(child, Stretch::Opens::Behind);
    }
  }

  const WalkContext &context_;
  std::function<void(const clang::Expr *, Stretch)> onExpr_;
  Stretch here_;
  bool isFollowed_ = true;
};

/// What an accessed object is part of, as far as that tells the kind of memory.
struct Memory {
  bool isGlobal = false;
  StablePlace variable; ///< else that of the pointer or reference it was reached through

  auto operator<=>(const Memory &) const = default;
};

class Sharing {
public:
  explicit Sharing(ReadProgram &program) : program_(program), facts_(program.facts) {}

  void run() {
    const WalkContext context{*program_.host.unit, *program_.host.edits, facts_, true,
                              [](const clang::Expr *) { return trace::kNone; }};
    for (const auto &[function, index] : program_.host.found.instanceOf) {
      const SourceFunction *source = program_.host.found.instances[index].source;
      bool &isFollowed = isFollowed_.try_emplace(source, true).first->second;
      StretchWalker walker(context, [&](const clang::Expr *expression, const Stretch &stretch) {
        noteAssignment(expression);
        noteAccess(context, expression, stretch);
      });
      isFollowed &= walker.walkFunction(function) && source->hostText == source->deviceText;
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

  /// Variables that may come to point elsewhere.
  void noteAssignment(const clang::Expr *expression) {
    const clang::Expr *target = nullptr;
    if (const auto *binary = dyn_cast<clang::BinaryOperator>(expression);
        binary && binary->getOpcode() == clang::BO_Assign)
      target = binary->getLHS();
    else if (const auto *unary = dyn_cast<clang::UnaryOperator>(expression);
             unary && unary->getOpcode() == clang::UO_AddrOf)
      target = unary->getSubExpr();
    while (const auto *member =
               target ? dyn_cast<clang::MemberExpr>(target->IgnoreParens()) : nullptr)
      target = member->isArrow() ? nullptr : member->getBase();
    if (target)
      if (const auto *name = dyn_cast<clang::DeclRefExpr>(target->IgnoreParens()))
        assigned_.insert(name->getDecl());
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
    if (!variable || assigned_.contains(variable))
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
      if (point->id == 0 || !point->inHostPass || point->firstToken <= function.bodyBrace)
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
      if (!point->countedBy && point->loop != nullptr && counters < kMostCounters)
        point->counter = counters++;
    }
  }

  ReadProgram &program_;
  Facts &facts_;
  std::map<const Point *, std::optional<Stretch>> stretchOf_; ///< none: instantiations disagree
  std::map<const SourceFunction *, bool> isFollowed_;
  std::set<const clang::ValueDecl *> assigned_;
};

} // namespace

void shareCounts(ReadProgram &program) { Sharing(program).run(); }

} // namespace relayout::instrument
