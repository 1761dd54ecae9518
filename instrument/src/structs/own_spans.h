// SPDX-License-Identifier: Apache-2.0
// `std::span<Particle> particles(d, n);`: spans of records in device memory, read as objects of
// classes of the program's own, which hold a pointer as any other struct does.
#pragma once

#include "structs/split_structs.h"

namespace relayout::instrument {

/// \param only  the classes that may stand for spans; null: all
[[nodiscard]] SplitProgram ownSpans(const std::vector<ParsedUnit *> &units,
                                    const std::vector<ArrayFlow> &flows,
                                    const std::set<std::string> *only);

} // namespace relayout::instrument
