// SPDX-License-Identifier: Apache-2.0
// GPU tracing: what all lanes of a warp are sure to agree on.
#include "gpu/warp_uniform.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>

namespace relayout::instrument {
namespace {

using clang::cast;
using clang::dyn_cast;
using clang::isa;

/// `blockIdx`, `blockDim` or `gridDim`, whose members Clang's own headers make of calls.
bool isOfGridOrBlock(const clang::Expr *expression) {
  if (const auto *pseudo = dyn_cast<clang::PseudoObjectExpr>(expression))
    expression = pseudo->getSyntacticForm();
  const clang::Expr *object = nullptr;
  if (const auto *member = dyn_cast<clang::MemberExpr>(expression))
    object = member->getBase();
  else if (const auto *property = dyn_cast<clang::MSPropertyRefExpr>(expression))
    object = property->getBaseExpr();
  const auto *name = object ? dyn_cast<clang::DeclRefExpr>(object->IgnoreParenImpCasts()) : nullptr;
  if (!name || !name->getDecl()->getDeclName().isIdentifier() ||
      !name->getDecl()->getDeclContext()->getRedeclContext()->isFileContext())
    return false;
  const llvm::StringRef is = name->getDecl()->getName();
  return is == "blockIdx" || is == "blockDim" || is == "gridDim";
}

} // namespace

bool jumpsOut(const clang::Stmt *statement, bool keepsContinue, bool keepsBreak) {
  if (!statement || isa<clang::LambdaExpr>(statement))
    return false;
  if (isa<clang::ReturnStmt, clang::GotoStmt, clang::IndirectGotoStmt, clang::AsmStmt>(statement))
    return true;
  if (isa<clang::ContinueStmt>(statement))
    return !keepsContinue;
  if (isa<clang::BreakStmt>(statement))
    return !keepsBreak;
  const bool isLoop =
      isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(statement);
  keepsContinue |= isLoop;
  keepsBreak |= isLoop || isa<clang::SwitchStmt>(statement);
  return std::ranges::any_of(statement->children(), [&](const clang::Stmt *child) {
    return jumpsOut(child, keepsContinue, keepsBreak);
  });
}

EqualLanes::EqualLanes(const clang::ASTContext &context, const clang::FunctionDecl *function,
                       const VariableUses &uses)
    : context_(context), function_(function), uses_(uses) {}

bool EqualLanes::stepsAlike(const clang::Expr *increment, const Variables &stepped,
                            const Variables &counters) const {
  increment = increment->IgnoreParens();
  const auto *binary = dyn_cast<clang::BinaryOperator>(increment);
  if (binary && binary->getOpcode() == clang::BO_Comma)
    return stepsAlike(binary->getLHS(), stepped, counters) &&
           stepsAlike(binary->getRHS(), stepped, counters);
  return stepped.contains(steppedVariable(increment)) &&
         (!binary || agreeOn(binary->getRHS(), counters));
}

bool EqualLanes::agreeOn(const clang::VarDecl *variable, const Variables &counters) const {
  if (counters.contains(variable) || variable->hasAttr<clang::CUDAConstantAttr>())
    return true;
  // Of what a lambda captures only the function around it knows all changes.
  if (uses_.changed.contains(variable) || uses_.headed.contains(variable) ||
      variable->getDeclContext() != function_)
    return false;
  if (isa<clang::ParmVarDecl>(variable))
    return function_->hasAttr<clang::CUDAGlobalAttr>() && !variable->getType()->isReferenceType();
  return variable->hasLocalStorage() && variable->getType()->isScalarType() &&
         variable->hasInit() && agreeOn(variable->getInit(), counters);
}

bool EqualLanes::agreeOn(const clang::Expr *expression, const Variables &counters) const {
  expression = expression->IgnoreParens();
  if (clang::Expr::EvalResult value; !expression->isValueDependent() && expression->isPRValue() &&
                                     expression->getType()->isScalarType() &&
                                     expression->EvaluateAsRValue(value, context_) &&
                                     !value.HasSideEffects)
    return true;
  if (isOfGridOrBlock(expression))
    return true;
  if (const auto *conversion = dyn_cast<clang::CastExpr>(expression))
    return expression->getType()->isScalarType() && agreeOn(conversion->getSubExpr(), counters);
  if (const auto *substituted = dyn_cast<clang::SubstNonTypeTemplateParmExpr>(expression))
    return agreeOn(substituted->getReplacement(), counters);
  if (const clang::VarDecl *variable = namedVariable(expression))
    return agreeOn(variable, counters);
  if (const auto *binary = dyn_cast<clang::BinaryOperator>(expression))
    return !binary->isAssignmentOp() && !binary->isPtrMemOp() &&
           agreeOn(binary->getLHS(), counters) && agreeOn(binary->getRHS(), counters);
  if (const auto *unary = dyn_cast<clang::UnaryOperator>(expression))
    return unary->isArithmeticOp() && !unary->isIncrementDecrementOp() &&
           agreeOn(unary->getSubExpr(), counters);
  if (const auto *choice = dyn_cast<clang::ConditionalOperator>(expression))
    return agreeOn(choice->getCond(), counters) && agreeOn(choice->getTrueExpr(), counters) &&
           agreeOn(choice->getFalseExpr(), counters);
  return false;
}

EqualLanes::Variables EqualLanes::agreedCounters(const clang::ForStmt *loop,
                                                 const Variables &counters) const {
  const Variables made = madeBy(loop);
  if (made.empty() || !loop->getCond() || !loop->getInc() || loop->getConditionVariable() ||
      jumpsOut(loop->getBody(), true, false))
    return {};
  Variables known = counters;
  known.insert(made.begin(), made.end());
  for (const clang::VarDecl *variable : made)
    if (uses_.changed.contains(variable) || !variable->getType()->isScalarType() ||
        !variable->hasInit() || !agreeOn(variable->getInit(), counters))
      return {};
  if (!agreeOn(loop->getCond(), known) || !stepsAlike(loop->getInc(), made, known))
    return {};
  return made;
}

} // namespace relayout::instrument
