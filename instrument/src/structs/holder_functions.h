// SPDX-License-Identifier: Apache-2.0
// Functions of both sides that are given objects of a struct, and do with one what a method of
// either type could: `__host__ __device__ float total(const Scene &scene)`.
#pragma once

#include "structs/struct_objects.h"

namespace relayout::instrument {

/// Those that work on any object, by symbol.
[[nodiscard]] HolderFunctions functionsOf(const HolderStruct &holder,
                                          const std::vector<ParsedUnit *> &units,
                                          const HolderMethods &methods);

} // namespace relayout::instrument
