// SPDX-License-Identifier: Apache-2.0
// Extents of an array as the program writes them where it allocates.
#pragma once

#include <clang/AST/Expr.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace relayout::instrument {

/// The factors of a number of bytes, `sizeof` and constants left out: "nx" and "(ny + 2)" of
/// `nx * (ny + 2) * sizeof(double)`. Variables that were computed as products are taken apart.
/// Each is an expression without side effects that means the same behind the allocation's
/// arguments; once each, in the order of the text.
[[nodiscard]] std::vector<std::string> sizeFactors(const clang::Expr &bytes);

/// Integer constants that the text of a program's functions and variables has, from 2 upwards.
void addConstants(clang::ASTContext &ast, std::set<std::uint64_t> &constants);

} // namespace relayout::instrument
