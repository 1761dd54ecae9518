// SPDX-License-Identifier: Apache-2.0
// Names what has spans of one record, and finds it in expressions.
#pragma once

#include "model/span_types.h"
#include "model/span_uses.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/TypeLoc.h>

namespace relayout::instrument {

class SpanObjects {
public:
  SpanObjects(ParsedUnit &unit, const ArrayFlow &flow, const clang::CXXRecordDecl &element)
      : unit_(unit), flow_(flow), element_(element) {}

  /// Of a variable, a member, a type's name, or a function for what it returns; empty: it has
  /// neither spans nor pointers to the record.
  [[nodiscard]] std::string of(const clang::NamedDecl &declaration) const;
  /// Of an expression that makes a span.
  [[nodiscard]] std::string made(const clang::Expr &expression) const {
    return at(expression.getBeginLoc());
  }
  [[nodiscard]] std::string at(clang::SourceLocation where) const;

  /// What the expression may have its spans, or pointers, from.
  [[nodiscard]] std::set<std::string> in(const clang::Expr *expression) const;

  [[nodiscard]] bool hold(clang::QualType type) const;
  /// It is a span itself, or a reference to one.
  [[nodiscard]] bool isSpan(clang::QualType type) const;
  [[nodiscard]] bool isUsers(const clang::Decl &declaration) const;

private:
  void add(const clang::Expr *expression, std::set<std::string> &objects) const;
  void addCall(const clang::CallExpr &call, std::set<std::string> &objects) const;
  void addAll(const clang::Stmt &statement, std::set<std::string> &objects) const;
  [[nodiscard]] bool leadsToRecords(clang::QualType type) const;

  ParsedUnit &unit_;
  const ArrayFlow &flow_;
  const clang::CXXRecordDecl &element_;
};

/// The names that a type is written with.
struct TypeNames {
  struct Name {
    clang::SourceLocation place;
    bool hasArguments = false;
    std::optional<SpanType> type; ///< nothing: the compiler deduces it
  };
  std::vector<Name> spans;
  std::vector<const clang::NamedDecl *> aliases;
  std::vector<clang::SourceLocation> dependent; ///< spans of what a template is instantiated for
};
[[nodiscard]] TypeNames namesIn(clang::TypeLoc type);

} // namespace relayout::instrument
