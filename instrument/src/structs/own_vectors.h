// SPDX-License-Identifier: Apache-2.0
// `thrust::device_vector<Particle> d(h);`: Thrust's vectors of records, read as objects of a class
// of the program's own, whose pointer is one of CUDA's as any other. So are `thrust::device_ptr`s.
#pragma once

#include "structs/split_structs.h"

namespace relayout::instrument {

/// \param only  the classes that may stand for vectors; null: all
[[nodiscard]] SplitProgram ownVectors(const std::vector<ParsedUnit *> &units,
                                      const std::vector<ArrayFlow> &flows,
                                      const std::set<std::string> *only);

} // namespace relayout::instrument
