// SPDX-License-Identifier: Apache-2.0
// `T *spare`, which swaps two arrays of the host and later two that CUDA allocates: each use gets a
// variable of its own, so that each pointer leads to memory of one kind.
#pragma once

#include "structs/split_structs.h"

namespace relayout::instrument {

/// \param only  the names, `main::spare`, of variables that may be split; null: all
[[nodiscard]] SplitProgram splitPointers(const std::vector<ParsedUnit *> &units,
                                         const std::vector<ArrayFlow> &flows,
                                         const std::set<std::string> *only);

/// The variables of which one of two leads to CUDA's memory alone.
[[nodiscard]] std::set<std::string> usefulPointers(const std::vector<SharedHolder> &variables,
                                                   const std::vector<ArrayFlow> &flows);

} // namespace relayout::instrument
