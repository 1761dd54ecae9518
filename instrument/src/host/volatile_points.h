// SPDX-License-Identifier: Apache-2.0
// Lowering: accesses to volatile memory keep the lanes of a warp in step.
#pragma once

#include "model/program_reader.h"

namespace relayout::instrument {

/// Wraps what device code reads from volatile memory, and its stores there, in calls at which a
/// lane lets the others catch up.
void lockstepVolatileAccesses(UnitReading &unit);

} // namespace relayout::instrument
