// SPDX-License-Identifier: Apache-2.0
// `{1, p}` for a struct: which member each value is for.
#pragma once

#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>

namespace relayout::instrument {

/// Calls `give` with each member that a list has a value for, and that value.
template <class Give> void giveListedMembers(const clang::InitListExpr &list, const Give &give) {
  const clang::InitListExpr *meant = list.isSemanticForm() ? &list : list.getSemanticForm();
  const clang::CXXRecordDecl *record = meant ? meant->getType()->getAsCXXRecordDecl() : nullptr;
  if (!record)
    return;
  unsigned index = record->getNumBases();
  for (clang::FieldDecl *field : record->fields())
    if (!field->isUnnamedBitField() && index < meant->getNumInits())
      give(field, meant->getInit(index++));
}

} // namespace relayout::instrument
