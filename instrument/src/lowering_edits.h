// SPDX-License-Identifier: Apache-2.0
// The two halves of lowering: CUDA's own constructs, and the probes of a traced program.
#pragma once

#include "program_reader.h"

namespace relayout::instrument {

/// Rewrites launches, shared memory and what else plain C++ lacks, and notes copies of records.
/// \error RL-C05 a construct that the CPU executor cannot run
[[nodiscard]] Result<void> lowerCudaConstructs(ReadProgram &program);

/// The CPU executor needs to know loops and calls to group lanes; a GPU groups them itself, and
/// needs to know which kernel runs.
enum class ProbeTarget { Host, Gpu, LinkedGpu };

/// Puts the model's probes into the host pass's edits.
void insertProbes(ReadProgram &program, ProbeTarget target);

} // namespace relayout::instrument
