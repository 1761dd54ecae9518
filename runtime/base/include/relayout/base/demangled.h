// SPDX-License-Identifier: Apache-2.0
// Names of symbols as C++ has them.
#pragma once

#include <string>

namespace relayout {

/// "move(Body*)" for "_Z4moveP4Body"; the symbol itself where it is no mangled name, as in C
/// linkage.
[[nodiscard]] std::string demangled(const std::string &symbol);

} // namespace relayout
