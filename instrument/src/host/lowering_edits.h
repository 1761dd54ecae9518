// SPDX-License-Identifier: Apache-2.0
// The two halves of lowering: CUDA's own constructs, and the probes of a traced program.
#pragma once

#include "model/program_reader.h"

namespace relayout::instrument {

/// Rewrites launches, shared memory and what else plain C++ lacks, and notes copies of records.
/// \error RL-C05 a construct that the CPU executor cannot run
[[nodiscard]] Result<void> lowerCudaConstructs(ReadProgram &program);

/// Puts the model's probes into the host pass's edits, those of loops and calls included: by these
/// the CPU executor groups lanes.
void insertProbes(ReadProgram &program);

} // namespace relayout::instrument
