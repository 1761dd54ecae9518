// SPDX-License-Identifier: Apache-2.0
// What conditions in front of an access say of the values there.
#include "coordinates/reading.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

namespace relayout::rewriter {

using clang::dyn_cast;

void Reading::know(const clang::Expr &condition, bool holds, const clang::Stmt &at) {
  const clang::Expr *bare = condition.IgnoreParenImpCasts();
  if (const auto *negation = dyn_cast<clang::UnaryOperator>(bare)) {
    if (negation->getOpcode() == clang::UO_LNot)
      know(*negation->getSubExpr(), !holds, at);
    return;
  }
  if (const auto *call = dyn_cast<clang::CallExpr>(bare)) {
    if (!call->getType()->isBooleanType())
      return;
    if (const clang::Expr *returned = enter(*call, at)) {
      know(*returned, holds, at);
      leave();
    }
    return;
  }
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(bare)) {
    const auto *variable = dyn_cast<clang::VarDecl>(name->getDecl());
    const clang::Stmt *declaration = variable ? body_.declarationOf(*variable) : nullptr;
    if (declaration && variable->getType()->isBooleanType() && variable->getInit() &&
        body_.isNeverChanged(*variable))
      know(*variable->getInit(), holds, *declaration);
    return;
  }
  const auto *operation = dyn_cast<clang::BinaryOperator>(bare);
  if (!operation)
    return;
  if (operation->getOpcode() == (holds ? clang::BO_LAnd : clang::BO_LOr)) {
    know(*operation->getLHS(), holds, at);
    know(*operation->getRHS(), holds, at);
  } else if (operation->isComparisonOp()) {
    knowComparison(*operation, holds, at);
  }
}

void Reading::knowComparison(const clang::BinaryOperator &comparison, bool holds,
                             const clang::Stmt &at) {
  const clang::Expr &left = *comparison.getLHS(), &right = *comparison.getRHS();
  const clang::BinaryOperatorKind kind =
      holds ? comparison.getOpcode()
            : clang::BinaryOperator::negateComparisonOp(comparison.getOpcode());
  switch (kind) {
  case clang::BO_LT:
    return knowLess(left, right, 1, at);
  case clang::BO_LE:
    return knowLess(left, right, 0, at);
  case clang::BO_GT:
    return knowLess(right, left, 1, at);
  case clang::BO_GE:
    return knowLess(right, left, 0, at);
  case clang::BO_EQ: {
    const std::optional<Polynomial> a = valueOf(left, at), b = valueOf(right, at);
    if (a && b)
      facts_.addEqual(*a, *b);
    return;
  }
  default:
    return;
  }
}

/// \param gap  1: less, 0: or equal
void Reading::knowLess(const clang::Expr &less, const clang::Expr &more, int gap,
                       const clang::Stmt &at) {
  const std::optional<Polynomial> upper = valueOf(more, at);
  if (!upper)
    return;
  std::optional<Polynomial> lower = valueOf(less, at);
  if (!lower) {
    // `unsigned(i) < n`: a negative i would be above all that its own type holds.
    const auto *conversion = dyn_cast<clang::CastExpr>(less.IgnoreParens());
    if (!conversion || conversion->getCastKind() != clang::CK_IntegralCast ||
        !conversion->getType()->isUnsignedIntegerType())
      return;
    const clang::Expr &inner = *conversion->getSubExpr();
    const unsigned bits = ast_.getIntWidth(inner.getType());
    if (!inner.getType()->isSignedIntegerType() || bits > 32 ||
        ast_.getIntWidth(conversion->getType()) < bits ||
        !facts_.proveNonNegative(Polynomial((std::int64_t{1} << (bits - 1)) - 1) - *upper))
      return;
    lower = valueOf(inner, at);
    if (!lower)
      return;
    facts_.addNonNegative(*lower);
  }
  facts_.addNonNegative(*upper - *lower - Polynomial(gap));
}

} // namespace relayout::rewriter
