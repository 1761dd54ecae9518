// SPDX-License-Identifier: Apache-2.0
// Follows addresses through casts, sums and local pointers to the array that they lie in.
#include "model/shared_parts.h"

#include "model/pointer_contents.h"

#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>

#include <set>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;

/// What an address is counted from.
const clang::Expr *baseOf(const clang::Expr &address) {
  const clang::Expr *base = address.IgnoreParenCasts();
  if (const auto *sum = dyn_cast<clang::BinaryOperator>(base); sum && sum->isAdditiveOp()) {
    const bool isLeft = sum->getLHS()->getType()->isPointerType();
    return baseOf(isLeft ? *sum->getLHS() : *sum->getRHS());
  }
  const auto *taken = dyn_cast<clang::UnaryOperator>(base);
  if (!taken || taken->getOpcode() != clang::UO_AddrOf)
    return base;
  const auto *element = dyn_cast<clang::ArraySubscriptExpr>(taken->getSubExpr()->IgnoreParens());
  return element ? baseOf(*element->getBase()) : base;
}

class SharedParts {
public:
  bool leadInto(const clang::Expr &address) {
    const auto *name = dyn_cast<clang::DeclRefExpr>(baseOf(address));
    const auto *variable = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
    if (!variable)
      return false;
    if (variable->getType()->isArrayType())
      return variable->hasAttr<clang::CUDASharedAttr>();
    // A pointer that is given a sum of its own leads where it has led.
    return !seen_.insert(variable).second ||
           holdsAlone(*variable, [this](const clang::Expr &given) { return leadInto(given); });
  }

private:
  std::set<const clang::VarDecl *> seen_;
};

} // namespace

bool leadsIntoSharedMemory(const clang::Expr &expression) {
  return SharedParts().leadInto(expression);
}

} // namespace relayout::instrument
