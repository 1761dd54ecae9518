// SPDX-License-Identifier: Apache-2.0
// Collects the fields of a record and of its bases.
#include "relayout/instrument/clang/record_fields.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/RecordLayout.h>

#include <algorithm>
#include <climits>

namespace relayout::instrument {

std::vector<const clang::FieldDecl *> allFields(const clang::CXXRecordDecl *record) {
  std::vector<const clang::FieldDecl *> fields;
  for (const clang::CXXBaseSpecifier &base : record->bases())
    if (const clang::CXXRecordDecl *decl = base.getType()->getAsCXXRecordDecl();
        decl && decl->getDefinition() && !base.isVirtual())
      for (const clang::FieldDecl *field : allFields(decl->getDefinition()))
        fields.push_back(field);
  for (const clang::FieldDecl *field : record->fields())
    fields.push_back(field);
  return fields;
}

std::string nameOfField(const clang::FieldDecl &field) {
  const clang::CXXRecordDecl *inner =
      field.isAnonymousStructOrUnion() ? field.getType()->getAsCXXRecordDecl() : nullptr;
  if (!inner)
    return field.getNameAsString();
  std::string name;
  for (const clang::FieldDecl *member : inner->fields())
    name += (name.empty() ? "" : "_") + nameOfField(*member);
  return name;
}

std::uint64_t offsetOfField(const clang::CXXRecordDecl &record, const clang::FieldDecl &field) {
  const clang::ASTRecordLayout &layout = record.getASTContext().getASTRecordLayout(&record);
  if (field.getParent()->getCanonicalDecl() == record.getCanonicalDecl())
    return layout.getFieldOffset(field.getFieldIndex()) / CHAR_BIT;
  for (const clang::CXXBaseSpecifier &base : record.bases()) {
    const clang::CXXRecordDecl *decl = base.getType()->getAsCXXRecordDecl()->getDefinition();
    if (std::ranges::count(allFields(decl), &field) != 0)
      return layout.getBaseClassOffset(decl).getQuantity() + offsetOfField(*decl, field);
  }
  return 0;
}

std::uint32_t alignmentOf(const clang::FieldDecl &field) {
  const clang::ASTContext &ast = field.getASTContext();
  const clang::CharUnits ofType = ast.getTypeAlignInChars(field.getType());
  const clang::CharUnits own = ast.getDeclAlign(&field, /*ForAlignof=*/true); // not of large arrays
  return static_cast<std::uint32_t>(std::max(ofType, own).getQuantity());
}

} // namespace relayout::instrument
