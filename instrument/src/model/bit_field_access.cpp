// SPDX-License-Identifier: Apache-2.0
// Finds the object that a bit-field is a member of, and where its storage unit is in it.
#include "model/bit_field_access.h"

#include "relayout/instrument/clang/record_fields.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecordLayout.h>

#include <climits>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;

/// Bytes from the start of a class to a part of it: the class itself, or a base.
std::optional<std::uint64_t> offsetOfPart(const clang::CXXRecordDecl &whole,
                                          const clang::RecordDecl &part) {
  if (whole.getCanonicalDecl() == part.getCanonicalDecl())
    return 0;
  const clang::ASTRecordLayout &layout = whole.getASTContext().getASTRecordLayout(&whole);
  for (const clang::CXXBaseSpecifier &base : whole.bases()) {
    const clang::CXXRecordDecl *inner = base.getType()->getAsCXXRecordDecl()->getDefinition();
    if (const auto offset = base.isVirtual() ? std::nullopt : offsetOfPart(*inner, part))
      return *offset + layout.getBaseClassOffset(inner).getQuantity();
  }
  return std::nullopt;
}

/// A struct or union without a name, which the text does not name either.
const clang::MemberExpr *unnamedAround(const clang::Expr *object) {
  const auto *member = dyn_cast<clang::MemberExpr>(object);
  const auto *field = member ? dyn_cast<clang::FieldDecl>(member->getMemberDecl()) : nullptr;
  return field && field->isAnonymousStructOrUnion() ? member : nullptr;
}

bool isOfPackedClass(const clang::Expr &object) {
  const auto *member = dyn_cast<clang::MemberExpr>(object.IgnoreParens());
  const auto *field = member ? dyn_cast<clang::FieldDecl>(member->getMemberDecl()) : nullptr;
  return field &&
         (field->hasAttr<clang::PackedAttr>() || field->getParent()->hasAttr<clang::PackedAttr>() ||
          field->getParent()->hasAttr<clang::MaxFieldAlignmentAttr>());
}

} // namespace

std::optional<BitFieldAccess> bitFieldAccess(const TokenEdits &tokens,
                                             const clang::Expr &bitField) {
  const auto *member = dyn_cast<clang::MemberExpr>(bitField.IgnoreParens());
  const auto *field = member ? dyn_cast<clang::FieldDecl>(member->getMemberDecl()) : nullptr;
  if (!field || !field->isBitField())
    return std::nullopt;
  BitFieldAccess access{.offset = storageUnitOf(*field).offset};
  const clang::Expr *object = member->getBase()->IgnoreImpCasts();
  while (const clang::MemberExpr *around = member->isArrow() ? nullptr : unnamedAround(object)) {
    field = clang::cast<clang::FieldDecl>(around->getMemberDecl());
    access.offset += field->getASTContext()
                         .getASTRecordLayout(field->getParent())
                         .getFieldOffset(field->getFieldIndex()) /
                     CHAR_BIT;
    member = around;
    object = member->getBase()->IgnoreImpCasts();
  }
  const bool isOwn =
      isa<clang::CXXThisExpr>(object) && clang::cast<clang::CXXThisExpr>(object)->isImplicit();
  access.object = isOwn               ? BitFieldAccess::Object::This
                  : member->isArrow() ? BitFieldAccess::Object::Pointed
                                      : BitFieldAccess::Object::Named;
  if (member->isArrow() ? isa<clang::CXXOperatorCallExpr>(object)
                        : !object->isLValue() || isOfPackedClass(*object))
    return std::nullopt;
  clang::QualType type = object->getType();
  if (member->isArrow())
    type = type->isPointerType() ? type->getPointeeType()
                                 : clang::QualType(type->getPointeeOrArrayElementType(), 0);
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  record = record ? record->getDefinition() : nullptr;
  const auto offset = record ? offsetOfPart(*record, *field->getParent()) : std::nullopt;
  const clang::Expr *text = isOwn ? &bitField : object;
  const auto first = tokens.indexOf(text->getBeginLoc());
  const auto last = tokens.indexOf(text->getEndLoc());
  if (!offset || !first || !last)
    return std::nullopt;
  access.offset += *offset;
  access.firstToken = *first;
  access.lastToken = *last;
  return access;
}

} // namespace relayout::instrument
