// SPDX-License-Identifier: Apache-2.0
// Pointers to rows: `double (*p)[3]`, whose element is `p[i][k]`.
#pragma once

#include "relayout/instrument/clang/array_flow.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace relayout::instrument {

/// The extents of the arrays that a group's pointers point to, outermost first: {3} of
/// `double (*)[3]`; none of pointers to elements. References to single elements have no say.
/// \returns  nothing where some of its declarations have others, or are no pointers
[[nodiscard]] std::optional<std::vector<std::uint64_t>> rowExtentsOf(const ArrayGroup &group);

/// Of one pointer type, through pointers to it, and arrays and containers of it.
[[nodiscard]] std::optional<std::vector<std::uint64_t>> rowExtentsOf(clang::QualType pointer);

} // namespace relayout::instrument
