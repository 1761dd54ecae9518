// SPDX-License-Identifier: Apache-2.0
// `int compare(const void *a, const void *b)` of qsort and bsearch.
#pragma once

#include <clang/AST/Decl.h>

namespace relayout::instrument {

/// True for a parameter of a host function that the unit's text only hands to these: they are given
/// host memory, and a rewritten array that they were given would be refused.
[[nodiscard]] bool isGivenToCompare(const clang::VarDecl &variable);

} // namespace relayout::instrument
