// SPDX-License-Identifier: Apache-2.0
// GCC takes start values for an array of variable length, `int a[n] = {0};`, in C++ too; Clang
// takes the array alone.
#pragma once

#include "parse/written_place.h"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Lex/Token.h>
#include <llvm/ADT/StringRef.h>

#include <vector>

namespace relayout::instrument {

/// Arrays of variable length that have start values, by where their first extents are written.
using ArraysWithValues = WrittenPlaces;

/// \param extent  the place that Clang minds
void addArray(clang::SourceLocation extent, const clang::SourceManager &sources,
              ArraysWithValues &arrays);

/// What the names of the arrays beside them begin with.
inline constexpr llvm::StringLiteral kValuesName = "relayout_values_";

/// While Clang parses: gives the values of each such array to an array beside it, that has as many,
/// `int a[n], values[] = {0};`. The text stays.
class ArrayValues {
public:
  explicit ArrayValues(const ArraysWithValues &arrays) : arrays_(arrays) {}

  void onToken(const clang::Token &token, clang::CompilerInstance &compiler);

private:
  void beforeExtent(const clang::Token &token);
  void declareBeside(const clang::Token &last, clang::CompilerInstance &compiler);

  const ArraysWithValues &arrays_;
  std::vector<clang::Token> stars_;      ///< that stand before the token, and their qualifiers
  std::vector<clang::Token> ofPointers_; ///< those of the name before the token
  std::vector<clang::Token> extents_;    ///< behind the first, brackets included
  bool isOpen_ = false;                  ///< in the extents of an array
  bool isFirst_ = false;
  int depth_ = 0; ///< of brackets
};

} // namespace relayout::instrument
