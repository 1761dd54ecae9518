// SPDX-License-Identifier: Apache-2.0
// `void *bodies;`, or `float *bodies;`, which is allocated, copied and cast to one type alone: it
// is read as a pointer of that type, so that it is known where it leads.
#pragma once

#include "structs/split_structs.h"

namespace relayout::instrument {

/// \param only  the names of variables, members and parameters that may be given a type; null: all
[[nodiscard]] SplitProgram typeMemory(const std::vector<ParsedUnit *> &units,
                                      const std::vector<ArrayFlow> &flows,
                                      const std::set<std::string> *only);

/// Those whose type was of use: they lead to memory of CUDA's that is known.
[[nodiscard]] std::set<std::string> usefulTypes(const std::vector<SharedHolder> &pointers,
                                                const std::vector<ArrayFlow> &flows);

} // namespace relayout::instrument
