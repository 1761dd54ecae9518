// SPDX-License-Identifier: Apache-2.0
// Single expressions around Thrust's vectors, and their text.
#pragma once

#include "model/vector_uses.h"

#include <clang/AST/ExprCXX.h>

#include <optional>
#include <string>
#include <vector>

namespace relayout::instrument {

/// A node that changes nothing about what it holds: parentheses, implicit conversions, temporaries.
[[nodiscard]] bool addsNothing(const clang::Stmt &statement);

/// The expression without such nodes around it, and without copies that only move it.
[[nodiscard]] const clang::Expr *withoutNothing(const clang::Expr &expression);

/// An lvalue that may be named twice, or earlier or later than it is.
[[nodiscard]] bool isPlain(const clang::Expr &expression);

/// Whether the two, evaluated in one order or the other, may give different results: of an index,
/// and of the value that is assigned to the element.
[[nodiscard]] bool mayInterfere(const clang::Expr &index, const clang::Expr &value);

/// The class of what a method is called on, not of its base that has the method.
[[nodiscard]] clang::QualType objectType(const clang::CXXMemberCallExpr &call);

/// The type of an operand, before it is converted to what takes it.
[[nodiscard]] clang::QualType operandType(const clang::Expr &operand);

/// The expression is a record, or converted to one.
[[nodiscard]] bool isValueOf(const clang::Expr &expression, const clang::CXXRecordDecl *record);

/// `d.data()` in `d.data()` and in `d.data() + n`; null for other expressions.
[[nodiscard]] const clang::CXXMemberCallExpr *dataIn(const clang::Expr &pointer);

/// `&d[i]` and `&*d.begin()`.
struct AddressedElement {
  const clang::Expr *vector = nullptr; ///< null: it is something else
  const clang::Expr *access = nullptr; ///< `d[i]` or `d.begin()`
  const clang::Expr *index = nullptr;  ///< null: the first
};
[[nodiscard]] AddressedElement addressedElement(const clang::Expr &pointer);

/// `d` of `d.begin()` or `d.end()`, or `p` of `p->begin()`; null for other expressions.
[[nodiscard]] const clang::Expr *vectorBefore(const clang::Expr &iterator);
/// What its elements are; null for what is no device vector's.
[[nodiscard]] const clang::CXXRecordDecl *elementBefore(const clang::Expr &iterator);

/// Reads a unit's text.
class VectorText {
public:
  explicit VectorText(ParsedUnit &unit) : unit_(unit) {}

  [[nodiscard]] std::string of(const clang::Expr &expression) const;
  /// The place behind its last token.
  [[nodiscard]] clang::SourceLocation behind(const clang::Expr &expression) const;
  /// The use of a macro that stands for an expression and nothing else; nothing where there is
  /// none.
  [[nodiscard]] std::optional<clang::CharSourceRange> macroUse(const clang::Stmt &expression) const;
  /// Of a vector, or of what a pointer leads to.
  [[nodiscard]] std::string asValue(const clang::Expr &vector) const;

  /// "d." of `d.begin()`, "p->" of `p->begin()`, of a device vector that is named plainly.
  [[nodiscard]] std::optional<std::string> beginOfVector(const clang::Expr &iterator) const;
  /// The same of `d.begin()` and `d.end()`.
  [[nodiscard]] std::optional<std::string> wholeVector(const clang::Expr &begin,
                                                       const clang::Expr &end) const;

  /// The edits that make an iterator of the host's a pointer to such records; nothing where it
  /// leads to something else.
  [[nodiscard]] std::optional<std::vector<VectorEdit>>
  hostPointer(const clang::Expr &iterator, const clang::CXXRecordDecl *element) const;

private:
  [[nodiscard]] std::optional<std::string> endOfVector(const clang::Expr &iterator,
                                                       bool isEnd) const;
  ParsedUnit &unit_;
};

} // namespace relayout::instrument
