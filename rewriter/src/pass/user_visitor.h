// SPDX-License-Identifier: Apache-2.0
// A walk over the program's own declarations, instances of templates included.
#pragma once

#include "pass/program.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>

namespace relayout::rewriter {

class UserVisitor : public clang::DynamicRecursiveASTVisitor {
public:
  explicit UserVisitor(const Program &program) : program_(program) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool TraverseDecl(clang::Decl *declaration) override {
    if (declaration &&
        !clang::isa<clang::TranslationUnitDecl, clang::NamespaceDecl, clang::LinkageSpecDecl>(
            declaration) &&
        !isUsers(program_, *declaration))
      return true;
    const clang::FunctionDecl *outer = around_;
    if (const auto *function = dyn_cast_or_null<clang::FunctionDecl>(declaration))
      around_ = function;
    const bool goOn = clang::DynamicRecursiveASTVisitor::TraverseDecl(declaration);
    around_ = outer;
    return goOn;
  }

protected:
  /// Of a list for a record, each member with its value.
  template <class Give> static void giveMembers(clang::InitListExpr &list, const Give &give) {
    const clang::InitListExpr *meant = list.isSemanticForm() ? &list : list.getSemanticForm();
    const clang::CXXRecordDecl *record = meant ? meant->getType()->getAsCXXRecordDecl() : nullptr;
    if (!record || record->isUnion())
      return;
    unsigned index = record->getNumBases();
    for (const clang::FieldDecl *field : record->fields())
      if (!field->isUnnamedBitField() && index < meant->getNumInits())
        give(*field, *meant->getInit(index++));
  }

  const Program &program_;
  const clang::FunctionDecl *around_ = nullptr; ///< innermost; null at file scope
};

} // namespace relayout::rewriter
