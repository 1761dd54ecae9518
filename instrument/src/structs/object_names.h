// SPDX-License-Identifier: Apache-2.0
// By which names an expression or declaration refers to objects of one struct.
#pragma once

#include "structs/struct_objects.h"

namespace relayout::instrument {

class ObjectNames {
public:
  ObjectNames(ParsedUnit &unit, const clang::CXXRecordDecl *record)
      : unit_(unit), record_(record->getCanonicalDecl()) {}

  /// Whether it is the struct, or pointers, references or arrays lead to it.
  [[nodiscard]] bool leadsTo(clang::QualType type) const;

  /// \returns  empty where the declaration, or what a function returns, does not lead to it
  [[nodiscard]] std::string of(const clang::ValueDecl *declaration) const;

  /// Of a type that is written in an expression, as `(S *)malloc(n)`.
  [[nodiscard]] std::string ofWritten(clang::TypeLoc type) const;

  /// Adds what the expression refers to.
  void refer(const clang::Expr *expression, std::vector<std::string> &to) const;

  /// What `this` refers to from here on; empty: nothing.
  void callThis(std::string name) { this_ = std::move(name); }

  /// Adds the types in `sizeof`, but for those in the arguments of calls inside.
  void referSizes(const clang::Stmt *expression, std::vector<std::string> &to) const;

private:
  void referCall(const clang::CallExpr &call, std::vector<std::string> &to) const;
  void referCast(const clang::ExplicitCastExpr &cast, std::vector<std::string> &to) const;
  bool referOperator(const clang::Expr *expression, std::vector<std::string> &to) const;
  void add(std::string name, std::vector<std::string> &to) const;

  ParsedUnit &unit_;
  const clang::CXXRecordDecl *record_;
  std::string this_;
};

/// The function is one of the program's files.
[[nodiscard]] bool isUsers(ParsedUnit &unit, const clang::FunctionDecl &function);

} // namespace relayout::instrument
