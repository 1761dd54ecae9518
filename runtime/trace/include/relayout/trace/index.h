// SPDX-License-Identifier: Apache-2.0
// The site table: how its rows refer to one another.
#pragma once

#include <cstdint>

namespace relayout::trace {

/// Index of a row in one of the table's vectors, or kNone.
using Index = std::uint32_t;
inline constexpr Index kNone = 0xffffffffu;

} // namespace relayout::trace
