// SPDX-License-Identifier: Apache-2.0
// Plain arrays as arrays of records: a scalar is the record of one field, so that flow, sites,
// layouts and legality know one kind of array.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>

#include <vector>

namespace relayout::instrument {

/// Makes the arithmetic types of one AST known to scalarRecordOf() for as long as it lives, and the
/// small types of libraries that are used like them: `__half`, `thrust::complex<float>`. The wide
/// kin of `char` are not among them: they are text.
class ScalarRecords {
public:
  explicit ScalarRecords(clang::ASTContext &ast);
  ~ScalarRecords();
  ScalarRecords(const ScalarRecords &) = delete;
  ScalarRecords &operator=(const ScalarRecords &) = delete;

private:
  clang::ASTContext &ast_;
};

/// The record that stands for a scalar; null for other types, and in units that look at records
/// alone.
[[nodiscard]] const clang::CXXRecordDecl *scalarRecordOf(clang::QualType type);

/// The record that a type is, or that stands for it; null where there is none.
[[nodiscard]] const clang::CXXRecordDecl *elementRecordOf(clang::QualType type);

/// True for the records that stand for scalars.
[[nodiscard]] bool isScalarRecord(const clang::CXXRecordDecl &record);

/// The only field of such a record.
[[nodiscard]] const clang::FieldDecl *scalarField(const clang::CXXRecordDecl &record);

} // namespace relayout::instrument
