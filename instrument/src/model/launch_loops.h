// SPDX-License-Identifier: Apache-2.0
// Whether a program launches kernels in loops.
#pragma once

#include "relayout/instrument/clang/front_end.h"

#include <vector>

namespace relayout::instrument {

/// Whether another run may make some launch more often: it stands in a loop, in a function that is
/// called in one, or in one that others than the program's own calls may call.
[[nodiscard]] bool mayRepeatLaunches(const std::vector<ParsedUnit *> &units);

} // namespace relayout::instrument
