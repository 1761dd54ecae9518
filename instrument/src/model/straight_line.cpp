// SPDX-License-Identifier: Apache-2.0
// Which branches and loops are left when constants are folded.
#include "model/straight_line.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::dyn_cast_or_null;
using clang::isa;

/// Of a loop that is followed iteration by iteration here.
constexpr std::uint32_t kMostTrips = 1024;

/// Counts nodes, but of what holds a jump.
void addArm(const clang::Stmt *arm, clang::ASTContext &context, trace::code::Branch &branch) {
  if (!arm)
    return;
  if (isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt,
          clang::SwitchStmt, clang::ReturnStmt, clang::BreakStmt, clang::ContinueStmt,
          clang::GotoStmt, clang::CallExpr, clang::LambdaExpr>(arm)) {
    branch.jumps = true;
    return;
  }
  ++branch.nodes;
  for (const clang::Stmt *part : runningParts(*arm, context))
    addArm(part, context, branch);
}

std::optional<bool> constantCondition(const clang::Expr *condition, clang::ASTContext &context) {
  bool value = false;
  if (!condition || condition->isValueDependent() ||
      !condition->EvaluateAsBooleanCondition(value, context))
    return std::nullopt;
  return value;
}

std::optional<std::int64_t> constantInteger(const clang::Expr *value, clang::ASTContext &context) {
  clang::Expr::EvalResult result;
  if (!value || value->isValueDependent() || !value->EvaluateAsInt(result, context) ||
      !result.Val.getInt().isRepresentableByInt64())
    return std::nullopt;
  return result.Val.getInt().getExtValue();
}

bool refersTo(const clang::Expr *expression, const clang::VarDecl &variable) {
  const auto *reference = dyn_cast<clang::DeclRefExpr>(expression->IgnoreParenImpCasts());
  return reference && reference->getDecl() == &variable;
}

bool compares(clang::BinaryOperatorKind comparison, std::int64_t left, std::int64_t right) {
  switch (comparison) {
  case clang::BO_LT:
    return left < right;
  case clang::BO_LE:
    return left <= right;
  case clang::BO_GT:
    return left > right;
  case clang::BO_GE:
    return left >= right;
  case clang::BO_NE:
    return left != right;
  default:
    return left == right;
  }
}

/// What `++i`, `i -= 2`, `i /= 2` and the like make of a variable's value.
std::optional<std::int64_t> stepped(const clang::Expr *increment, const clang::VarDecl &variable,
                                    std::int64_t value, clang::ASTContext &context) {
  constexpr std::int64_t kIntBits = 32;
  constexpr std::int64_t kLargest = std::int64_t{1} << (kIntBits - 1);
  if (value > kLargest || value < -kLargest)
    return std::nullopt;
  const auto *unary = dyn_cast_or_null<clang::UnaryOperator>(increment);
  if (unary && unary->isIncrementDecrementOp() && refersTo(unary->getSubExpr(), variable))
    return value + (unary->isIncrementOp() ? 1 : -1);
  const auto *compound = dyn_cast_or_null<clang::CompoundAssignOperator>(increment);
  if (!compound || !refersTo(compound->getLHS(), variable))
    return std::nullopt;
  const std::optional<std::int64_t> by = constantInteger(compound->getRHS(), context);
  if (!by || *by <= 0 || *by > kLargest)
    return std::nullopt;
  switch (compound->getOpcode()) {
  case clang::BO_AddAssign:
    return value + *by;
  case clang::BO_SubAssign:
    return value - *by;
  case clang::BO_MulAssign:
    return value * *by;
  case clang::BO_DivAssign:
    return value / *by;
  case clang::BO_ShlAssign:
    return *by < kIntBits ? std::optional(value * (std::int64_t{1} << *by)) : std::nullopt;
  case clang::BO_ShrAssign:
    return *by < kIntBits ? std::optional(value >> *by) : std::nullopt;
  default:
    return std::nullopt;
  }
}

/// The condition, and what runs only where it holds, or only where it does not.
struct Choice {
  const clang::Expr *condition = nullptr;
  const clang::Stmt *ifTrue = nullptr;
  const clang::Stmt *ifFalse = nullptr;
};

Choice choiceOf(const clang::Stmt &statement) {
  if (const auto *branch = dyn_cast<clang::IfStmt>(&statement))
    return {branch->getCond(), branch->getThen(), branch->getElse()};
  if (const auto *choice = dyn_cast<clang::ConditionalOperator>(&statement))
    return {choice->getCond(), choice->getTrueExpr(), choice->getFalseExpr()};
  if (const auto *binary = dyn_cast<clang::BinaryOperator>(&statement)) {
    if (binary->getOpcode() == clang::BO_LAnd)
      return {binary->getLHS(), binary->getRHS(), nullptr};
    if (binary->getOpcode() == clang::BO_LOr)
      return {binary->getLHS(), nullptr, binary->getRHS()};
  }
  return {};
}

} // namespace

std::optional<const clang::Stmt *> neverRuns(const clang::Stmt &choice,
                                             clang::ASTContext &context) {
  const Choice known = choiceOf(choice);
  const std::optional<bool> holds = constantCondition(known.condition, context);
  if (!holds)
    return std::nullopt;
  const clang::Stmt *never = *holds ? known.ifFalse : known.ifTrue;
  if (isEnteredSideways(never))
    return std::nullopt;
  return never;
}

std::vector<const clang::Stmt *> runningParts(const clang::Stmt &statement,
                                              clang::ASTContext &context) {
  const clang::Stmt *never = neverRuns(statement, context).value_or(nullptr);
  std::vector<const clang::Stmt *> parts;
  for (const clang::Stmt *part : statement.children())
    if (part && part != never)
      parts.push_back(part);
  return parts;
}

bool runsOnce(const clang::Stmt &loop, clang::ASTContext &context) {
  const auto *repeated = dyn_cast<clang::DoStmt>(&loop);
  return repeated && constantCondition(repeated->getCond(), context) == false;
}

bool isEnteredSideways(const clang::Stmt *statement) {
  if (!statement || isa<clang::Expr>(statement))
    return false;
  if (isa<clang::SwitchCase, clang::LabelStmt>(statement))
    return true;
  if (const auto *inner = dyn_cast<clang::SwitchStmt>(statement)) {
    // The inner switch's own cases are its business; its labels are not.
    const clang::Stmt *body = inner->getBody();
    for (const clang::Stmt *child : body->children()) {
      while (const auto *branch = child ? dyn_cast<clang::SwitchCase>(child) : nullptr)
        child = branch->getSubStmt();
      if (isEnteredSideways(child))
        return true;
    }
    return false;
  }
  return std::ranges::any_of(statement->children(), isEnteredSideways);
}

std::optional<std::uint32_t> constantTrips(const clang::Stmt &loop, clang::ASTContext &context) {
  if (runsOnce(loop, context))
    return 1;
  const auto *counted = dyn_cast<clang::ForStmt>(&loop);
  const auto *start = counted ? dyn_cast_or_null<clang::DeclStmt>(counted->getInit()) : nullptr;
  const auto *test =
      counted ? dyn_cast_or_null<clang::BinaryOperator>(counted->getCond()) : nullptr;
  const auto *variable =
      start && start->isSingleDecl() ? dyn_cast<clang::VarDecl>(start->getSingleDecl()) : nullptr;
  if (!test || !variable || !test->isComparisonOp() || !refersTo(test->getLHS(), *variable))
    return std::nullopt;
  std::optional<std::int64_t> value = constantInteger(variable->getInit(), context);
  const std::optional<std::int64_t> limit = constantInteger(test->getRHS(), context);
  std::uint32_t trips = 0;
  while (value && limit && trips < kMostTrips && compares(test->getOpcode(), *value, *limit)) {
    ++trips;
    value = stepped(counted->getInc(), *variable, *value, context);
  }
  return value && limit ? std::optional(trips) : std::nullopt;
}

trace::code::Branch branchOf(const clang::IfStmt &statement, clang::ASTContext &context) {
  trace::code::Branch branch;
  for (const clang::Stmt *arm : {statement.getThen(), statement.getElse()}) {
    addArm(arm, context, branch);
    branch.readsMemory |= readsMemory(arm, context);
  }
  return branch;
}

bool readsMemory(const clang::Stmt *statement, clang::ASTContext &context) {
  if (!statement)
    return false;
  if (const auto *member = dyn_cast<clang::MemberExpr>(statement); member && member->isArrow())
    return true;
  if (const auto *unary = dyn_cast<clang::UnaryOperator>(statement);
      unary && unary->getOpcode() == clang::UO_Deref)
    return true;
  return isa<clang::ArraySubscriptExpr>(statement) ||
         std::ranges::any_of(runningParts(*statement, context),
                             [&context](const auto *part) { return readsMemory(part, context); });
}

} // namespace relayout::instrument
