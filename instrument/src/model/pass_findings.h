// SPDX-License-Identifier: Apache-2.0
// What differs between the passes of a unit, or is in none of them.
#pragma once

#include "model/program_reader.h"

#include <vector>

namespace relayout::instrument {

/// Functions that are others on the device: the executor runs the host's version of everything.
void comparePasses(const UnitReading &unit, Facts &facts);

/// Records whose names stand in code that the preprocessor leaves out of both passes.
void findMentionsInSkippedRegions(const UnitReading &read,
                                  const std::vector<trace::Record> &records, Facts &facts);

} // namespace relayout::instrument
