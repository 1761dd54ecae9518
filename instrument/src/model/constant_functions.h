// SPDX-License-Identifier: Apache-2.0
// Constexpr functions that a unit calls where the language asks for a constant, and the others,
// which can do without their `constexpr` and so take probes.
#pragma once

#include "relayout/instrument/clang/token_edits.h"

#include <llvm/ADT/DenseSet.h>

namespace relayout::instrument {

struct Facts;

/// Of one unit; it is read when the first function is asked for.
class ConstantFunctions {
public:
  explicit ConstantFunctions(ParsedUnit &unit) : unit_(unit) {}

  /// The function, or an instance of its template, is called in an array bound, a template
  /// argument, a constexpr variable and the like, or by a function that is. What is asserted does
  /// not count.
  [[nodiscard]] bool contains(const clang::FunctionDecl *function);

private:
  using Functions = llvm::DenseSet<const clang::FunctionDecl *>; ///< patterns, the first ones
  const Functions &all();

  ParsedUnit &unit_;
  std::optional<Functions> all_;
};

/// Some function that is declared constexpr has probes.
[[nodiscard]] bool hasConstexprProbes(const Facts &facts);

/// Makes all constexpr functions of the user's inline ones, but for those that are in the set: one
/// that calls a function with probes cannot be constexpr either. Assertions, which hold, go.
void dropConstexpr(ParsedUnit &unit, TokenEdits &edits);

} // namespace relayout::instrument
