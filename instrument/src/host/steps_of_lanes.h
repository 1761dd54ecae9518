// SPDX-License-Identifier: Apache-2.0
// Lowering: where programs rely on the lanes of a warp going in step, they do.
#pragma once

#include "model/program_reader.h"

#include <vector>

namespace relayout::instrument {

/// Wraps what device code reads from volatile memory and its stores there, and what it stores to
/// shared memory that other threads may yet read, in calls at which a lane lets the others catch
/// up.
/// \param written  the declarations that stand in the user's files
void keepLanesInStep(UnitReading &unit, const std::vector<clang::Decl *> &written);

} // namespace relayout::instrument
