// SPDX-License-Identifier: Apache-2.0
// GPU tracing: what is sure to be uniform across a warp.
#include "gpu/warp_uniform.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>

namespace relayout::instrument {
namespace {

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

/// Jumps that a statement around keeps inside of it.
struct Kept {
  bool continues = false; ///< a loop does
  bool breaks = false;    ///< a loop or a switch does
};

bool leaves(const clang::Stmt *statement, Kept kept) {
  if (!statement || isa<clang::LambdaExpr>(statement))
    return false;
  if (isa<clang::ReturnStmt, clang::GotoStmt, clang::IndirectGotoStmt, clang::AsmStmt>(statement))
    return true;
  if (isa<clang::ContinueStmt>(statement))
    return !kept.continues;
  if (isa<clang::BreakStmt>(statement))
    return !kept.breaks;
  const bool isLoop =
      isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(statement);
  kept.continues |= isLoop;
  kept.breaks |= isLoop || isa<clang::SwitchStmt>(statement);
  return std::ranges::any_of(statement->children(),
                             [&](const clang::Stmt *child) { return leaves(child, kept); });
}

} // namespace

bool jumpsOut(const clang::Stmt *statement) { return leaves(statement, {}); }

bool jumpsOutOfLoop(const clang::Stmt *body) {
  return leaves(body, {.continues = true, .breaks = false});
}

WarpUniformity::WarpUniformity(const clang::ASTContext &context,
                               const clang::FunctionDecl *function, const VariableUses &uses)
    : context_(context), function_(function), uses_(uses) {}

bool WarpUniformity::stepsUniformly(const clang::Expr *increment, const Variables &stepped,
                                    const Variables &counters) const {
  increment = increment->IgnoreParens();
  const auto *binary = dyn_cast<clang::BinaryOperator>(increment);
  if (binary && binary->getOpcode() == clang::BO_Comma)
    return stepsUniformly(binary->getLHS(), stepped, counters) &&
           stepsUniformly(binary->getRHS(), stepped, counters);
  return stepped.contains(steppedVariable(increment)) &&
         (!binary || isUniform(binary->getRHS(), counters));
}

bool WarpUniformity::isUniform(const clang::VarDecl *variable, const Variables &counters) const {
  if (counters.contains(variable) || variable->hasAttr<clang::CUDAConstantAttr>())
    return true;
  // Of what a lambda captures only the function around it knows all changes.
  if (uses_.changed.contains(variable) || uses_.headed.contains(variable) ||
      variable->getDeclContext() != function_)
    return false;
  if (isa<clang::ParmVarDecl>(variable))
    return function_->hasAttr<clang::CUDAGlobalAttr>() && !variable->getType()->isReferenceType();
  return variable->hasLocalStorage() && variable->getType()->isScalarType() &&
         variable->hasInit() && isUniform(variable->getInit(), counters);
}

bool WarpUniformity::isUniform(const clang::Expr *expression, const Variables &counters) const {
  expression = expression->IgnoreParens();
  if (clang::Expr::EvalResult value; !expression->isValueDependent() && expression->isPRValue() &&
                                     expression->getType()->isScalarType() &&
                                     expression->EvaluateAsRValue(value, context_) &&
                                     !value.HasSideEffects)
    return true;
  if (isOfGridOrBlock(expression))
    return true;
  if (const auto *conversion = dyn_cast<clang::CastExpr>(expression))
    return expression->getType()->isScalarType() && isUniform(conversion->getSubExpr(), counters);
  if (const auto *substituted = dyn_cast<clang::SubstNonTypeTemplateParmExpr>(expression))
    return isUniform(substituted->getReplacement(), counters);
  if (const clang::VarDecl *variable = namedVariable(expression))
    return isUniform(variable, counters);
  if (const auto *binary = dyn_cast<clang::BinaryOperator>(expression))
    return !binary->isAssignmentOp() && !binary->isPtrMemOp() &&
           isUniform(binary->getLHS(), counters) && isUniform(binary->getRHS(), counters);
  if (const auto *unary = dyn_cast<clang::UnaryOperator>(expression))
    return unary->isArithmeticOp() && !unary->isIncrementDecrementOp() &&
           isUniform(unary->getSubExpr(), counters);
  if (const auto *choice = dyn_cast<clang::ConditionalOperator>(expression))
    return isUniform(choice->getCond(), counters) && isUniform(choice->getTrueExpr(), counters) &&
           isUniform(choice->getFalseExpr(), counters);
  return false;
}

WarpUniformity::Variables WarpUniformity::uniformCounters(const clang::ForStmt *loop,
                                                          const Variables &counters) const {
  const Variables made = madeBy(loop);
  if (made.empty() || !loop->getCond() || !loop->getInc() || loop->getConditionVariable() ||
      jumpsOutOfLoop(loop->getBody()))
    return {};
  Variables known = counters;
  known.insert(made.begin(), made.end());
  for (const clang::VarDecl *variable : made)
    if (uses_.changed.contains(variable) || !variable->getType()->isScalarType() ||
        !variable->hasInit() || !isUniform(variable->getInit(), counters))
      return {};
  if (!isUniform(loop->getCond(), known) || !stepsUniformly(loop->getInc(), made, known))
    return {};
  return made;
}

} // namespace relayout::instrument
