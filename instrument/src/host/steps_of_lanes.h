// SPDX-License-Identifier: Apache-2.0
// Lowering: where programs rely on the lanes of a warp going in step, they do.
#pragma once

#include "model/program_reader.h"

namespace relayout::instrument {

/// Wraps what device code reads from volatile memory and its stores there, and what it stores to
/// shared memory that other threads may yet read, in calls at which a lane lets the others catch
/// up.
void keepLanesInStep(UnitReading &unit);

} // namespace relayout::instrument
