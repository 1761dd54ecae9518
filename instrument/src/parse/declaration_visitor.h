// SPDX-License-Identifier: Apache-2.0
// Visits the declarations of a unit without its statements, of which there are many more.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/RecursiveASTVisitor.h>

namespace relayout::instrument {

/// A RecursiveASTVisitor that finds what a function declares (variables, classes, lambdas) among
/// the declarations of its scope instead of in its body.
template <class Derived> class DeclarationVisitor : public clang::RecursiveASTVisitor<Derived> {
  using Base = clang::RecursiveASTVisitor<Derived>;

public:
  bool TraverseDecl(clang::Decl *declaration) {
    auto *const function = llvm::dyn_cast_or_null<clang::FunctionDecl>(declaration);
    if (!function)
      return Base::TraverseDecl(declaration);
    ++functionsAround_;
    bool goesOn = Base::TraverseDecl(function);
    for (clang::Decl *inner : function->decls())
      goesOn = goesOn &&
               (llvm::isa<clang::ParmVarDecl>(inner) || this->getDerived().TraverseDecl(inner));
    --functionsAround_;
    return goesOn;
  }

  bool TraverseStmt(clang::Stmt *statement) {
    return functionsAround_ != 0 || Base::TraverseStmt(statement);
  }

private:
  friend Derived; // nobody else derives from it
  DeclarationVisitor() = default;

  unsigned functionsAround_ = 0;
};

} // namespace relayout::instrument
