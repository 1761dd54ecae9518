// SPDX-License-Identifier: Apache-2.0
// Judges a field by its type, its name and its access.
#include "legality/field_refusals.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

/// A type that only the record itself can name.
bool hasHiddenType(const clang::FieldDecl &field) {
  const clang::QualType element =
      field.getType()->getBaseElementTypeUnsafe()->getCanonicalTypeInternal();
  const clang::TagDecl *tag = element->getAsTagDecl();
  return (tag && isHidden(tag->getAccess())) ||
         (isTakenFromMember(element) && isHidden(field.getAccess()));
}

/// Why a member without a name cannot be written out in the header; empty where it can.
std::string refusalForUnnamed(const clang::FieldDecl &field);

/// False of classes with const members, and of unions whose members have assignments of their own.
bool isAssignable(clang::QualType type) {
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  record = record ? record->getDefinition() : nullptr;
  if (!record || record->hasSimpleCopyAssignment())
    return true;
  return std::ranges::any_of(record->methods(), [](const clang::CXXMethodDecl *method) {
    return method->isCopyAssignmentOperator() && !method->isDeleted();
  });
}

std::string refusalForUnnamed(const clang::FieldDecl &field) {
  const clang::CXXRecordDecl *record = field.getType()->getAsCXXRecordDecl();
  if (!record || !record->hasTrivialDefaultConstructor() || !record->isTriviallyCopyable())
    return "has no name, and a member that is constructed or copied by a function";
  if (record->hasAttr<clang::MaxFieldAlignmentAttr>())
    return "has no name, and is packed";
  for (const clang::FieldDecl *member : record->fields()) {
    if (member->isUnnamedBitField())
      continue;
    if (std::string reason = refusalForField(*member); !reason.empty())
      return fmt::format("has no name, and its '{}' {}", member->getNameAsString(), reason);
    const clang::QualType type = member->getASTContext().getBaseElementType(member->getType());
    if (type->isFunctionPointerType())
      return fmt::format("has no name, and its '{}' is a pointer to a function",
                         member->getNameAsString());
    if (!member->isAnonymousStructOrUnion() && isUnnamed(type))
      return fmt::format("has no name, nor has the type of its '{}'", member->getNameAsString());
  }
  return {};
}

} // namespace

bool isUnnamed(clang::QualType type) {
  const clang::TagDecl *tag = type->getAsTagDecl();
  return tag && !tag->getIdentifier() && !tag->getTypedefNameForAnonDecl();
}

bool isHidden(clang::AccessSpecifier access) {
  return access == clang::AS_private || access == clang::AS_protected;
}

bool isTakenFromMember(clang::QualType type) {
  return isUnnamed(type) || type->isFunctionPointerType();
}

bool isAscii(llvm::StringRef name) {
  return std::ranges::all_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string refusalForField(const clang::FieldDecl &field) {
  const clang::QualType element = field.getASTContext().getBaseElementType(field.getType());
  if (hasHiddenType(field))
    return element->isFunctionPointerType() ? "is private, and a pointer to a function"
                                            : "has a type that is private";
  if (field.isAnonymousStructOrUnion())
    return refusalForUnnamed(field);
  if (field.getName().empty())
    return "has no name";
  if (!isAscii(field.getName()))
    return "has letters in its name that nvcc does not allow in names of device functions";
  if (field.getType()->isReferenceType())
    return "is a reference";
  if (element.isConstQualified() && element->isRecordType())
    return "is const, and of a class";
  if (element.isVolatileQualified() && element->isRecordType())
    return "is volatile, and of a class";
  if (field.isMutable())
    return "is mutable";
  if (field.getType()->isIncompleteArrayType() || field.isZeroSize(field.getASTContext()))
    return "has no size of its own";
  if (element->isMemberPointerType())
    return "is a pointer to a member";
  if (!isAssignable(element))
    return "has a type that cannot be assigned";
  return {};
}

} // namespace relayout::rewriter
