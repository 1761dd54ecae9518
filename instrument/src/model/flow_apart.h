// SPDX-License-Identifier: Apache-2.0
// The flow of arrays through a program where the calls of some functions join nothing.
#pragma once

#include "relayout/instrument/clang/array_flow.h"

#include <set>
#include <string>
#include <vector>

namespace relayout::instrument {

/// \param apart  symbols of functions (of a template's pattern) whose parameters do not join what
/// they are called with
[[nodiscard]] std::vector<ArrayFlow> flowApart(const std::vector<ParsedUnit *> &units,
                                               const std::set<std::string> &apart);

} // namespace relayout::instrument
