// SPDX-License-Identifier: Apache-2.0
// Puts probes into CUDA source that nvcc goes on to compile: the GPU's own trace.
#pragma once

#include "relayout/base/result.h"
#include "relayout/instrument/command.h"
#include "relayout/instrument/program_model.h"
#include "relayout/instrument/source_set.h"

namespace relayout::instrument {

struct ProbedProgram {
  SourceSet sources;  ///< CUDA C++ that includes relayout/device/probe.cuh; the main file first
  ProgramModel model; ///< with the same site numbers as the lowered program's
};

/// Whether device code calls functions of other translation units (nvcc's -rdc=true).
enum class DeviceCode { Whole, Linked };

/// The same program, each access of the model recording itself; launches stay as they are.
/// Linked kernels are made known even where all that they access is elsewhere.
/// \error those of buildProgramModel; RL-C03 and RL-C04 say that there is nothing to trace
[[nodiscard]] Result<ProbedProgram> insertGpuProbes(const CompileCommand &command,
                                                    DeviceCode code = DeviceCode::Whole);

} // namespace relayout::instrument
