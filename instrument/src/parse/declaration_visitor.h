// SPDX-License-Identifier: Apache-2.0
// Visits the declarations of a unit without its statements, of which there are many more.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>

namespace relayout::instrument {

/// A visitor that finds what a function declares (variables, classes, lambdas) among
/// the declarations of its scope instead of in its body.
class DeclarationVisitor : public clang::DynamicRecursiveASTVisitor {
  using Base = clang::DynamicRecursiveASTVisitor;

public:
  bool TraverseDecl(clang::Decl *declaration) override {
    auto *const function = llvm::dyn_cast_or_null<clang::FunctionDecl>(declaration);
    if (!function)
      return Base::TraverseDecl(declaration);
    ++functionsAround_;
    bool goesOn = Base::TraverseDecl(function);
    for (clang::Decl *inner : function->decls())
      goesOn = goesOn && (llvm::isa<clang::ParmVarDecl>(inner) || TraverseDecl(inner));
    --functionsAround_;
    return goesOn;
  }

  bool TraverseStmt(clang::Stmt *statement) override {
    return functionsAround_ != 0 || Base::TraverseStmt(statement);
  }

private:
  unsigned functionsAround_ = 0;
};

} // namespace relayout::instrument
