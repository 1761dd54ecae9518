// SPDX-License-Identifier: Apache-2.0
// Which types are spans of the standard library over records.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Type.h>

#include <optional>
#include <vector>

namespace relayout::instrument {

/// `std::span<R>`, `cuda::std::span<const R>`.
struct SpanType {
  const clang::CXXRecordDecl *element = nullptr; ///< its definition
  bool isConst = false;                          ///< of const elements
  bool isFixed = false;                          ///< its extent is a constant
  bool isOfCuda = false;                         ///< `cuda::std::span`
};

/// The template is std::span or cuda::std::span.
[[nodiscard]] bool isSpanTemplate(const clang::NamedDecl &named);

/// Of the type, or of what it refers to.
[[nodiscard]] std::optional<SpanType> spanTypeOf(clang::QualType type);

/// The type is such a span, or leads to or contains one: a pointer to spans, a vector of them.
[[nodiscard]] bool holdsSpans(clang::QualType type, const clang::CXXRecordDecl &element);

/// The records of which the unit has spans, once each.
[[nodiscard]] std::vector<const clang::CXXRecordDecl *>
recordsInSpans(const clang::ASTContext &ast);

} // namespace relayout::instrument
