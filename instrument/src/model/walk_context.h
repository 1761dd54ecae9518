// SPDX-License-Identifier: Apache-2.0
// What a walk over device code needs of its unit, and how it names functions and records.
#pragma once

#include "model/constant_functions.h"
#include "model/probe_points.h"
#include "relayout/instrument/clang/token_edits.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace relayout::instrument {

/// A field of a record in an array, as a call names it.
struct FieldArgument {
  const clang::CXXRecordDecl *record = nullptr;
  const clang::FieldDecl *field = nullptr;
  const clang::Expr *object = nullptr; ///< names the array
};
using FieldArguments = std::unordered_map<const clang::ParmVarDecl *, FieldArgument>;

/// What a walk needs of its unit.
struct WalkContext {
  ParsedUnit &unit;
  TokenEdits &tokens; ///< for its index of places
  Facts &facts;
  bool isHostPass = true;
  std::function<trace::Index(const clang::Expr *)> groupOf;
  /// Whether a pointer, or an array's own name, leads to arrays of a vector type that the flow
  /// follows to their allocation.
  std::function<bool(const clang::Expr *)> isDeviceArray = {};
  FieldArguments fieldArguments = {}; ///< see readFieldArguments()
  mutable ConstantFunctions constants{unit};

  [[nodiscard]] StablePlace stable(clang::SourceLocation location) const;
  [[nodiscard]] bool isUsers(clang::SourceLocation location) const;
  /// A probe is no constant: a constexpr function that has to yield some takes none.
  [[nodiscard]] bool takesProbes(const clang::FunctionDecl *function) const;
  /// The definition if this type is a record of the user's with at least one field.
  [[nodiscard]] const clang::CXXRecordDecl *userRecord(clang::QualType type) const;
  /// The same, and vector types behind a pointer, in an array or a reference that `object` names,
  /// where that is one of device memory: anywhere else a vector is a value as a float is.
  [[nodiscard]] const clang::CXXRecordDecl *arrayRecord(clang::QualType type,
                                                        const clang::Expr *object) const;
  /// Key in facts.records, where the record is entered if it is new; facts hold the string.
  [[nodiscard]] const std::string &recordKey(const clang::CXXRecordDecl *record) const;

  [[nodiscard]] const std::string &enterRecord(const clang::CXXRecordDecl *record) const;

  mutable std::map<const clang::CXXRecordDecl *, const std::string *> recordKeys = {}; ///< known
};

/// Qualified, template arguments left out; a lambda is "(lambda)" in its function.
[[nodiscard]] std::string functionName(const clang::FunctionDecl *function);

/// Record keys of what pointers in this type can reach, through members and further pointers.
[[nodiscard]] bool reachesRecords(const WalkContext &context, clang::QualType type);

} // namespace relayout::instrument
