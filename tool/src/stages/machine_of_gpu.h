// SPDX-License-Identifier: Apache-2.0
// Which machine file policy replay takes for the GPU of this machine.
#pragma once

#include "processes/gpu_machine.h"
#include "stages/decide.h"

namespace relayout::tool {

/// Sets the machine, unless one was asked for: the file with the GPU's name, else, as not
/// calibrated, that of the most similar name among those of its compute capability, or of all.
void predictFor(const GpuMachine &gpu, DecideOptions &options);

} // namespace relayout::tool
