// SPDX-License-Identifier: Apache-2.0
// `std::unique_ptr<Particle[], Free>` whose deleter frees memory of any type, or is a function or a
// lambda: it is read with a class for a deleter that frees memory of this type, so that it can say
// what the pointer is.
#pragma once

#include "structs/split_structs.h"

namespace relayout::instrument {

/// \param only  the names of deleters' parameters that may be given a type; null: all
[[nodiscard]] SplitProgram typeDeleters(const std::vector<ParsedUnit *> &units,
                                        const std::vector<ArrayFlow> &flows,
                                        const std::set<std::string> *only);

/// Those whose objects own CUDA's memory.
[[nodiscard]] std::set<std::string> usefulDeleters(const std::vector<SharedHolder> &deleters,
                                                   const std::vector<ArrayFlow> &flows);

} // namespace relayout::instrument
