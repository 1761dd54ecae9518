// SPDX-License-Identifier: Apache-2.0
// The fields of a record, those of its base classes among them.
#pragma once

#include <clang/AST/DeclCXX.h>

#include <cstdint>
#include <string>
#include <vector>

namespace relayout::instrument {

/// The fields in the order in which they lie: those of base classes first, without virtual bases.
/// The index into trace::Record::fields is the index here.
[[nodiscard]] std::vector<const clang::FieldDecl *> allFields(const clang::CXXRecordDecl *record);

/// What traces and plans call a field: its name; of a struct or union without a name, of which code
/// names the members, the names of these, as in "x_y_v".
[[nodiscard]] std::string nameOfField(const clang::FieldDecl &field);

/// Bytes from the start of a record to a field of it or of a base class; of a bit-field to the byte
/// that has its first bit.
[[nodiscard]] std::uint64_t offsetOfField(const clang::CXXRecordDecl &record,
                                          const clang::FieldDecl &field);

/// Bytes that a field's address is a multiple of wherever it may be placed: what its type asks for,
/// or its own alignas, also in a packed record, which gives it less.
[[nodiscard]] std::uint32_t alignmentOf(const clang::FieldDecl &field);

} // namespace relayout::instrument
