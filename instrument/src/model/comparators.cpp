// SPDX-License-Identifier: Apache-2.0
// Looks for all that a unit does with a function.
#include "model/comparators.h"

#include "model/referents.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;

class FunctionUses : public clang::DynamicRecursiveASTVisitor {
public:
  explicit FunctionUses(const clang::FunctionDecl &function)
      : function_(*function.getCanonicalDecl()),
        sources_(function.getASTContext().getSourceManager()) {}

  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    names_ += isNamed(*name);
    return true;
  }
  bool VisitCallExpr(clang::CallExpr *call) override {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    if (callee && isOneOf(calleeName(call), {"qsort", "bsearch"}) &&
        sources_.isInSystemHeader(callee->getLocation()))
      for (const clang::Expr *argument : call->arguments())
        if (const auto *name = dyn_cast<clang::DeclRefExpr>(argument->IgnoreParenImpCasts()))
          handedOver_ += isNamed(*name);
    return true;
  }

  [[nodiscard]] bool areComparisons() const { return names_ != 0 && names_ == handedOver_; }

private:
  [[nodiscard]] bool isNamed(const clang::DeclRefExpr &name) const {
    return name.getDecl()->getCanonicalDecl() == &function_;
  }

  const clang::FunctionDecl &function_;
  const clang::SourceManager &sources_;
  unsigned names_ = 0, handedOver_ = 0;
};

} // namespace

bool isGivenToCompare(const clang::VarDecl &variable) {
  const auto *parameter = dyn_cast<clang::ParmVarDecl>(&variable);
  const auto *function =
      parameter ? dyn_cast<clang::FunctionDecl>(parameter->getDeclContext()) : nullptr;
  if (!function || !parameter->getType()->isVoidPointerType() ||
      function->hasAttr<clang::CUDADeviceAttr>() || function->hasAttr<clang::CUDAGlobalAttr>())
    return false;
  clang::ASTContext &context = function->getASTContext();
  const clang::SourceManager &sources = context.getSourceManager();
  FunctionUses uses(*function);
  for (clang::Decl *declaration : context.getTranslationUnitDecl()->decls())
    if (!sources.isInSystemHeader(sources.getExpansionLoc(declaration->getLocation())))
      uses.TraverseDecl(declaration);
  return uses.areComparisons();
}

} // namespace relayout::instrument
