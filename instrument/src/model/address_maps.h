// SPDX-License-Identifier: Apache-2.0
// Maps by address, in which allocators count what they gave: `std::map<void *, size_t>`.
#pragma once

#include <clang/AST/Expr.h>

namespace relayout::instrument {

/// True for `sizes[p]`, `sizes.find(p)` and the like of such a map of the standard library's, from
/// which the unit's own text never takes an address back.
[[nodiscard]] bool looksUpAddress(const clang::CallExpr &call);

} // namespace relayout::instrument
