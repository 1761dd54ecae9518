// SPDX-License-Identifier: Apache-2.0
// Puts probes into CUDA source that nvcc goes on to compile: the GPU's own trace.
#pragma once

#include "relayout/base/result.h"
#include "relayout/instrument/command.h"
#include "relayout/instrument/program_model.h"
#include "relayout/instrument/source_set.h"

namespace relayout::instrument {

struct ProbedProgram {
  /// CUDA C++ that includes relayout/device/probe.cuh. Each of several units has a folder with its
  /// own copy of the headers that it includes.
  SourceSet sources;
  std::vector<std::string> files; ///< relativePath of each unit's main file
  ProgramModel model;             ///< with the same site numbers as the lowered program's
};

/// Whether device code calls functions of other translation units (nvcc's -rdc=true).
enum class DeviceCode { Whole, Linked };

/// The same program, each access of the model recording itself; launches are unchanged. Every
/// CUDA unit hands the site table of the whole program to the runtime; host units name what they
/// allocate.
/// Linked kernels are made known even where all that they access is elsewhere.
/// \error those of buildProgramModel; RL-C03 and RL-C04 say that there is nothing to trace
[[nodiscard]] Result<ProbedProgram> insertGpuProbes(const Program &program,
                                                    DeviceCode code = DeviceCode::Whole);

} // namespace relayout::instrument
