// SPDX-License-Identifier: Apache-2.0
// The kernels that a unit names as values, which launches through pointers may mean.
#pragma once

#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <llvm/ADT/SetVector.h>

#include <algorithm>
#include <set>
#include <vector>

namespace relayout::instrument {

/// Traversed over a unit.
class NamedKernels : public clang::DynamicRecursiveASTVisitor {
public:
  NamedKernels() { ShouldVisitTemplateInstantiations = true; }

  bool VisitCallExpr(clang::CallExpr *call) override {
    called_.insert(call->getCallee()->IgnoreParenImpCasts());
    return true;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    if (const auto *function = llvm::dyn_cast<clang::FunctionDecl>(name->getDecl());
        function && function->hasAttr<clang::CUDAGlobalAttr>() && !called_.contains(name))
      named_.insert(function);
    return true;
  }

  [[nodiscard]] bool contains(const clang::FunctionDecl *kernel) const {
    return std::ranges::any_of(named_, [&](const clang::FunctionDecl *named) {
      return named->getCanonicalDecl() == kernel->getCanonicalDecl();
    });
  }

  /// Those of a type, in the order of the program.
  [[nodiscard]] std::vector<const clang::FunctionDecl *> ofType(clang::QualType pointer) const {
    std::vector<const clang::FunctionDecl *> found;
    const clang::QualType type = pointer->getPointeeType();
    for (const clang::FunctionDecl *kernel : named_)
      if (!type.isNull() && type.getCanonicalType() == kernel->getType().getCanonicalType())
        found.push_back(kernel);
    return found;
  }

private:
  std::set<const clang::Stmt *> called_;
  llvm::SetVector<const clang::FunctionDecl *> named_;
};

} // namespace relayout::instrument
