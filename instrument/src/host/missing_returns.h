// SPDX-License-Identifier: Apache-2.0
// Functions that end without the value that they are to return.
#pragma once

#include "relayout/instrument/clang/token_edits.h"

namespace relayout::instrument {

/// Ends the user's functions with `return {};`, or `return *this;`, where their last statement may
/// go on. nvcc returns something there, and host compilers, which take such an end for one that is
/// not reached, go on with the next function.
void addMissingReturns(ParsedUnit &unit, TokenEdits &edits);

} // namespace relayout::instrument
