// SPDX-License-Identifier: Apache-2.0
// Collects the fields of a record and of its bases.
#include "relayout/instrument/clang/record_fields.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/RecordLayout.h>

#include <algorithm>
#include <climits>

namespace relayout::instrument {
namespace {

using Fields = std::vector<const clang::FieldDecl *>;

/// Bytes of a class, from one up to another.
struct Span {
  std::uint64_t begin = 0, end = 0;

  [[nodiscard]] bool meets(const Span &other) const {
    return begin < other.end && other.begin < end;
  }
};

bool isPacked(const clang::FieldDecl &field) {
  return field.hasAttr<clang::PackedAttr>() || field.getParent()->hasAttr<clang::PackedAttr>() ||
         field.getParent()->hasAttr<clang::MaxFieldAlignmentAttr>();
}

std::uint64_t firstBitOf(const clang::FieldDecl &field) {
  return field.getASTContext()
      .getASTRecordLayout(field.getParent())
      .getFieldOffset(field.getFieldIndex());
}

/// The bytes that have a bit of the field; none of `unsigned : 0`.
Span spanOf(const clang::FieldDecl &field) {
  const std::uint64_t first = firstBitOf(field);
  std::uint64_t bits = 0;
  if (field.isBitField())
    bits = field.getBitWidthValue();
  else if (!field.getType()->isIncompleteType())
    bits = field.getASTContext().getTypeSize(field.getType());
  return {first / CHAR_BIT, (first + bits + CHAR_BIT - 1) / CHAR_BIT};
}

std::uint32_t unitAlignmentOf(const clang::FieldDecl &field) {
  if (isPacked(field))
    return 1;
  return static_cast<std::uint32_t>(
      field.getASTContext().getTypeAlignInChars(field.getType()).getQuantity());
}

/// The run around a bit-field: takes in what lies in its storage units, and the units of that.
BitFieldRun runAround(const Fields &declared, const clang::FieldDecl &bitField) {
  const auto at = std::ranges::find(declared, &bitField);
  auto first = at, last = at;
  BitFieldRun run;
  while (true) {
    run.alignment = 1;
    Span bytes = spanOf(**first);
    for (auto field = first; field <= last; ++field) {
      run.alignment = std::max(run.alignment, unitAlignmentOf(**field));
      bytes.end = std::max(bytes.end, spanOf(**field).end);
    }
    bytes = {bytes.begin / run.alignment * run.alignment,
             (bytes.end + run.alignment - 1) / run.alignment * run.alignment};
    run.offset = bytes.begin;
    run.bytes = bytes.end - bytes.begin;
    auto before = first, behind = last;
    for (auto field = declared.begin(); field != declared.end(); ++field)
      if (bytes.meets(spanOf(**field))) {
        before = std::min(before, field);
        behind = std::max(behind, field);
      }
    if (before == first && behind == last)
      break;
    first = before;
    last = behind;
  }
  run.fields.assign(first, last + 1);
  return run;
}

std::string joinedNames(const Fields &fields);

/// A field's name without those of its run.
std::string nameAlone(const clang::FieldDecl &field) {
  const clang::CXXRecordDecl *inner =
      field.isAnonymousStructOrUnion() ? field.getType()->getAsCXXRecordDecl() : nullptr;
  return inner ? joinedNames({inner->field_begin(), inner->field_end()}) : field.getNameAsString();
}

std::string joinedNames(const Fields &fields) {
  std::string name;
  for (const clang::FieldDecl *field : fields)
    if (!field->isUnnamedBitField())
      name += (name.empty() ? "" : "_") + nameAlone(*field);
  return name;
}

} // namespace

std::optional<BitFieldRun> bitFieldRun(const clang::FieldDecl &field) {
  const clang::RecordDecl &parent = *field.getParent();
  if (parent.isUnion() || parent.isInvalidDecl() || parent.isDependentType())
    return std::nullopt;
  const Fields declared(parent.field_begin(), parent.field_end());
  for (const clang::FieldDecl *other : declared) {
    if (!other->isBitField() || other->isUnnamedBitField())
      continue;
    BitFieldRun run = runAround(declared, *other);
    if (std::ranges::count(run.fields, &field) != 0)
      return run;
  }
  return std::nullopt;
}

const clang::FieldDecl &placedField(const clang::FieldDecl &field) {
  const std::optional<BitFieldRun> run = bitFieldRun(field);
  return run ? **std::ranges::find_if_not(run->fields, &clang::FieldDecl::isUnnamedBitField)
             : field;
}

bool isEmptyField(const clang::FieldDecl &field) {
  const clang::ASTContext &context = field.getASTContext();
  const clang::ConstantArrayType *array = context.getAsConstantArrayType(field.getType());
  return (array && array->isZeroSize()) || field.getType()->isIncompleteArrayType();
}

Fields allFields(const clang::CXXRecordDecl *record) {
  Fields fields;
  for (const clang::CXXBaseSpecifier &base : record->bases())
    if (const clang::CXXRecordDecl *decl = base.getType()->getAsCXXRecordDecl();
        decl && decl->getDefinition() && !base.isVirtual())
      for (const clang::FieldDecl *field : allFields(decl->getDefinition()))
        fields.push_back(field);
  for (const clang::FieldDecl *field : record->fields())
    if (!field->isUnnamedBitField() && !isEmptyField(*field) && &placedField(*field) == field)
      fields.push_back(field);
  return fields;
}

std::string nameOfField(const clang::FieldDecl &field) {
  const std::optional<BitFieldRun> run = bitFieldRun(field);
  return run ? joinedNames(run->fields) : nameAlone(field);
}

std::uint64_t offsetOfField(const clang::CXXRecordDecl &record, const clang::FieldDecl &field) {
  const clang::ASTRecordLayout &layout = record.getASTContext().getASTRecordLayout(&record);
  if (field.getParent()->getCanonicalDecl() == record.getCanonicalDecl()) {
    const std::optional<BitFieldRun> run = bitFieldRun(field);
    return run ? run->offset : layout.getFieldOffset(field.getFieldIndex()) / CHAR_BIT;
  }
  for (const clang::CXXBaseSpecifier &base : record.bases()) {
    const clang::CXXRecordDecl *decl = base.getType()->getAsCXXRecordDecl()->getDefinition();
    if (std::ranges::count(allFields(decl), &placedField(field)) != 0)
      return layout.getBaseClassOffset(decl).getQuantity() + offsetOfField(*decl, field);
  }
  return 0;
}

std::uint64_t bytesOfField(const clang::CXXRecordDecl &record, const clang::FieldDecl &field) {
  const clang::ASTContext &ast = field.getASTContext();
  const std::optional<BitFieldRun> run = bitFieldRun(field);
  if (!run)
    return field.getType()->isIncompleteType()
               ? 0
               : static_cast<std::uint64_t>(ast.getTypeSizeInChars(field.getType()).getQuantity());
  const clang::RecordDecl *parent = field.getParent();
  if (parent->getCanonicalDecl() == record.getCanonicalDecl())
    return run->bytes;
  const auto end =
      static_cast<std::uint64_t>(ast.getASTRecordLayout(parent).getDataSize().getQuantity());
  return std::min(run->bytes, end - run->offset);
}

std::uint32_t alignmentOf(const clang::FieldDecl &field) {
  if (const std::optional<BitFieldRun> run = bitFieldRun(field))
    return run->alignment;
  const clang::ASTContext &ast = field.getASTContext();
  const clang::CharUnits ofType = ast.getTypeAlignInChars(field.getType());
  const clang::CharUnits own = ast.getDeclAlign(&field, /*ForAlignof=*/true); // not of large arrays
  return static_cast<std::uint32_t>(std::max(ofType, own).getQuantity());
}

StorageUnit storageUnitOf(const clang::FieldDecl &bitField) {
  const auto typeBytes = static_cast<std::uint64_t>(
      bitField.getASTContext().getTypeSizeInChars(bitField.getType()).getQuantity());
  const Span own = spanOf(bitField);
  const std::uint64_t begin = own.begin / typeBytes * typeBytes;
  const bool isInUnit = !isPacked(bitField) && own.end <= begin + typeBytes;
  const Span unit = isInUnit ? Span{begin, begin + typeBytes} : own;
  return {unit.begin, static_cast<std::uint32_t>(unit.end - unit.begin),
          bitField.getBitWidthValue() == (unit.end - unit.begin) * CHAR_BIT};
}

} // namespace relayout::instrument
