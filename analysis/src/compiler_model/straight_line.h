// SPDX-License-Identifier: Apache-2.0
// Compiler model: which accesses stand in one piece of straight-line code. Loads are moved up
// within it, and not beyond.
#pragma once

#include "relayout/analysis/compiler_model/program_code.h"

namespace relayout::analysis {

/// Sets the regions of the sites, and of the loops how they are unrolled.
/// \param code  has a row for each site and loop
void findStraightLineCode(const std::vector<trace::CodeOutline> &outlines, ProgramCode &code);

} // namespace relayout::analysis
