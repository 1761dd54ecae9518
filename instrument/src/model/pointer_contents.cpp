// SPDX-License-Identifier: Apache-2.0
// Looks at all that a function does with one of its pointers.
#include "model/pointer_contents.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <algorithm>
#include <set>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;

class PointerUses : public clang::DynamicRecursiveASTVisitor {
public:
  PointerUses(const clang::VarDecl &variable, MemoryTest isOfMemory)
      : variable_(variable), isOfMemory_(isOfMemory) {}

  /// Its value is read.
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr *conversion) override {
    if (conversion->getCastKind() == clang::CK_LValueToRValue)
      known_.insert(named(*conversion->getSubExpr()));
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator *operation) override {
    if (operation->isIncrementDecrementOp())
      known_.insert(named(*operation->getSubExpr()));
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator *operation) override {
    const clang::DeclRefExpr *set = named(*operation->getLHS());
    if (!set || !operation->isAssignmentOp())
      return true;
    const bool isMade = operation->getOpcode() == clang::BO_Assign;
    if (!isMade || isOfMemory_(*operation->getRHS()))
      known_.insert(set);
    isGiven_ |= isMade;
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    if (name->getDecl() == &variable_)
      uses_.insert(name);
    return true;
  }

  [[nodiscard]] bool areKnown() const { return std::ranges::includes(known_, uses_); }
  [[nodiscard]] bool isGiven() const { return isGiven_; }

private:
  [[nodiscard]] const clang::DeclRefExpr *named(const clang::Expr &expression) const {
    const auto *name = dyn_cast<clang::DeclRefExpr>(expression.IgnoreParens());
    return name && name->getDecl() == &variable_ ? name : nullptr;
  }

  const clang::VarDecl &variable_;
  MemoryTest isOfMemory_;
  std::set<const clang::DeclRefExpr *> uses_, known_;
  bool isGiven_ = false;
};

} // namespace

bool holdsAlone(const clang::VarDecl &variable, MemoryTest isOfMemory) {
  const auto *function = dyn_cast<clang::FunctionDecl>(variable.getDeclContext());
  if (!function || !variable.isLocalVarDecl() || variable.isStaticLocal() ||
      !variable.getType()->isPointerType() || !function->getBody())
    return false;
  if (variable.getInit() && !isOfMemory(*variable.getInit()))
    return false;
  PointerUses uses(variable, isOfMemory);
  uses.TraverseStmt(function->getBody());
  return uses.areKnown() && (variable.getInit() || uses.isGiven());
}

} // namespace relayout::instrument
