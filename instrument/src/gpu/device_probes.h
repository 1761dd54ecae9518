// SPDX-License-Identifier: Apache-2.0
// GPU tracing: the probes of device code, and its second version without records.
#pragma once

#include "model/program_reader.h"
#include "relayout/instrument/gpu_probes.h"

namespace relayout::instrument {

/// Puts the model's probes into the host pass's edits, and decides which accesses share a count.
/// What may stand in the program twice (two_versions.h) does:
///   `if (counts.records()) { with records } else { with counts alone }`
void insertDeviceProbes(UnitReading &unit, DeviceCode code);

} // namespace relayout::instrument
