// SPDX-License-Identifier: Apache-2.0
// What an expression of pointer or record type refers to: declarations, and memory that has none.
#pragma once

#include "relayout/instrument/clang/array_flow.h"

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace relayout::instrument {

/// The record, or scalar, a pointer, reference or array (of any depth) leads to, and whether it is
/// one at all.
struct RecordType {
  const clang::CXXRecordDecl *record = nullptr;
  bool indirect = false;
};
[[nodiscard]] RecordType recordTypeOf(clang::QualType type);

/// One declaration for all redeclarations of an entity, and for all instantiations of a template
/// as long as the template itself spells the record (then one edit serves them all). What a
/// std::unique_ptr is given or returns is its deleter's parameter.
[[nodiscard]] const clang::ValueDecl *canonical(const clang::ValueDecl *declaration);

/// The name of the function that is called; empty where it has none.
[[nodiscard]] std::string calleeName(const clang::CallExpr *call);
/// The same, empty for functions that are not of namespace std: programs have a `swap` of their
/// own. "swap" as well for a call that exchangesPointers(), whatever its name.
[[nodiscard]] std::string standardName(const clang::CallExpr *call);
/// An overloaded operator, but for calls.
[[nodiscard]] bool isOperator(const clang::FunctionDecl &function);
/// The function or its class is one of `std`.
[[nodiscard]] bool isOfStandardLibrary(const clang::FunctionDecl *function);
[[nodiscard]] bool isOneOf(const std::string &name, std::initializer_list<const char *> names);

/// A reference parameter that works on whatever it is given, whatever the calls: `const R &`, and
/// `R &` of operators.
[[nodiscard]] bool alwaysTakesValue(const clang::ParmVarDecl &parameter);

struct Referent {
  std::vector<const clang::ValueDecl *> declarations;
  Origins origins;
  std::vector<std::pair<std::string, clang::SourceLocation>> unknown;
  std::vector<clang::SourceLocation> hostMemory; ///< where it is made, or declared

  void noteHost(clang::SourceLocation where);
  void note(std::string what, const clang::Expr *where);
};

/// Adds what the expression refers to. What is not understood is noted as unknown.
void resolve(const clang::Expr *expression, Referent &to);

/// The memory that a variable of record type, or an array of records, is itself.
void addVariableOrigin(const clang::VarDecl *variable, Referent &to);

} // namespace relayout::instrument
