// SPDX-License-Identifier: Apache-2.0
// The fields of a record, those of its base classes among them.
#pragma once

#include <clang/AST/DeclCXX.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace relayout::instrument {

/// Bit-fields that share storage units, and the other fields in the bytes of these, as the `char`
/// of `char tag; unsigned kind : 8;`. A struct of the same declarations has them at the same
/// places.
struct BitFieldRun {
  /// In the order in which they are declared; bit-fields without a name are among them.
  std::vector<const clang::FieldDecl *> fields;
  std::uint64_t offset = 0;    ///< bytes from the start of the class that declares them
  std::uint64_t bytes = 0;     ///< of all their storage units, a multiple of the alignment
  std::uint32_t alignment = 1; ///< the largest of their types; 1 in packed classes
};

/// The run that a field belongs to; nothing where it can be placed by itself.
[[nodiscard]] std::optional<BitFieldRun> bitFieldRun(const clang::FieldDecl &field);

/// What allFields() has for a field of the same class: of a run the first one with a name.
[[nodiscard]] const clang::FieldDecl &placedField(const clang::FieldDecl &field);

/// The fields in the order in which they lie: those of base classes first, without virtual bases. A
/// run of bit-fields is one field, given by its first one with a name.
/// The index into trace::Record::fields is the index here.
[[nodiscard]] std::vector<const clang::FieldDecl *> allFields(const clang::CXXRecordDecl *record);

/// `float tail[0];`: no byte of the record is the field's, and allFields() does not have it.
[[nodiscard]] bool isEmptyField(const clang::FieldDecl &field);

/// What traces and plans call a field: its name; of a run of bit-fields, and of a struct or union
/// without a name, of which code names the members, the names of these, as in "x_y_v".
[[nodiscard]] std::string nameOfField(const clang::FieldDecl &field);

/// Bytes from the start of a record to a field of it or of a base class, or to the run that it
/// belongs to.
[[nodiscard]] std::uint64_t offsetOfField(const clang::CXXRecordDecl &record,
                                          const clang::FieldDecl &field);

/// Bytes of a field of a record or of a base class, or of its run. Where a derived class has
/// members in the last storage unit of a base, a run ends there.
[[nodiscard]] std::uint64_t bytesOfField(const clang::CXXRecordDecl &record,
                                         const clang::FieldDecl &field);

/// Bytes that a field's address is a multiple of wherever it may be placed: what its type asks for,
/// or its own alignas, also in a packed record, which gives it less. Of a run what its storage
/// units ask for.
[[nodiscard]] std::uint32_t alignmentOf(const clang::FieldDecl &field);

/// The bytes that are loaded and stored for a bit-field: its storage unit.
struct StorageUnit {
  std::uint64_t offset = 0; ///< from the start of the class that declares it
  std::uint32_t bytes = 0;
  bool isFilled = false; ///< it has no other bits, so that a write need not read it

  bool operator==(const StorageUnit &) const = default;
};

[[nodiscard]] StorageUnit storageUnitOf(const clang::FieldDecl &bitField);

} // namespace relayout::instrument
