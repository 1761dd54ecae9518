// SPDX-License-Identifier: Apache-2.0
// GPU tracing: which code of a function runs as a whole.
#include "gpu/control_regions.h"

#include "gpu/warp_uniform.h"

namespace relayout::instrument {
namespace {

using clang::cast;
using clang::dyn_cast;
using clang::isa;

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

class RegionWalker {
public:
  RegionWalker(const WalkContext &context, const clang::FunctionDecl *function,
               const VariableUses &uses, const RegionSink &sink)
      : context_(context), sink_(sink), uniformity_(context.unit.ast(), function, uses) {}

  [[nodiscard]] bool walkBody(const clang::Stmt *body) {
    here_.place = context_.stable(body->getBeginLoc());
    walk(body);
    return isFollowed_;
  }

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
      sink_.onExpression(expression, here_);
  }

  void walkIf(const clang::IfStmt *branch) {
    walk(branch->getInit());
    walk(branch->getConditionVariableDeclStmt());
    walk(branch->getCond());
    // Constant expressions, as those of `if constexpr`, are among what is uniform.
    const bool isUniform = branch->getCond() && uniformity_.isUniform(branch->getCond(), counters_);
    walkApart(branch->getThen(), isUniform);
    walkApart(branch->getElse(), isUniform);
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
      part(body, ControlRegion::Opens::With);
      walkSequence(body, true);
    });
  }

  void walkConditional(const clang::ConditionalOperator *choice) {
    walk(choice->getCond());
    walkApart(choice->getTrueExpr());
    walkApart(choice->getFalseExpr());
    sink_.onExpression(choice, here_);
  }

  /// Goes on with a region that begins with or behind this statement.
  /// \param isUniform  all lanes run it that run what stands around it, or none
  void part(const clang::Stmt *statement, ControlRegion::Opens opens, bool isUniform = false) {
    const bool begins = opens == ControlRegion::Opens::With;
    here_.place = context_.stable(begins ? statement->getBeginLoc() : statement->getEndLoc());
    here_.opens = opens;
    if (isUniform)
      return;
    here_.uniformLoop.reset();
    counters_.clear();
  }

  template <class Walk> void apart(Walk walkIt) {
    const ControlRegion outer = here_;
    const WarpUniformity::Variables counters = counters_;
    walkIt();
    here_ = outer;
    counters_ = counters;
  }

  /// What other lanes run, or another number of times, than what stands around it.
  void walkApart(const clang::Stmt *statement, bool isUniform = false) {
    if (!statement)
      return;
    apart([&] {
      part(statement, ControlRegion::Opens::With, isUniform);
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
      const WarpUniformity::Variables uniform =
          counted ? uniformity_.uniformCounters(counted, counters_) : WarpUniformity::Variables{};
      // What counts for the loop as a whole stands before it, and would part it from its pragma.
      if (!here_.uniformLoop && !uniform.empty() && !hasPragma)
        here_.uniformLoop = tokensOf(context_.tokens, statement);
      const bool isUniform = !uniform.empty() && here_.uniformLoop;
      if (isUniform)
        counters_.insert(uniform.begin(), uniform.end());
      sink_.onLoop({statement, isUniform, hasPragma, isUniform ? here_.uniformLoop : std::nullopt});
      here_.isInLoop = true;
      for (const clang::Stmt *part : partsOf(statement))
        walkApart(part, isUniform);
    });
  }

  void walkSequence(const clang::CompoundStmt *sequence, bool isSwitch) {
    for (const clang::Stmt *child : sequence->body()) {
      while (const auto *option = isSwitch ? dyn_cast<clang::SwitchCase>(child) : nullptr) {
        part(option, ControlRegion::Opens::With);
        child = option->getSubStmt();
      }
      walk(child);
      if (jumpsOut(child))
        part(child, ControlRegion::Opens::Behind);
    }
  }

  const WalkContext &context_;
  const RegionSink &sink_;
  WarpUniformity uniformity_;
  ControlRegion here_;
  WarpUniformity::Variables counters_; ///< of loops around that are uniform here
  bool isFollowed_ = true;
};

} // namespace

bool findRegions(const WalkContext &context, const clang::FunctionDecl *function,
                 const VariableUses &uses, const RegionSink &sink) {
  return RegionWalker(context, function, uses, sink).walkBody(function->getBody());
}

} // namespace relayout::instrument
