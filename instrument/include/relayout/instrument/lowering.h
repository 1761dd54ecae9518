// SPDX-License-Identifier: Apache-2.0
// Lowers CUDA C++ to C++ for the CPU executor, with or without probes.
#pragma once

#include "relayout/base/result.h"
#include "relayout/instrument/command.h"
#include "relayout/instrument/program_model.h"
#include "relayout/instrument/source_set.h"

namespace relayout::instrument {

struct LoweredProgram {
  SourceSet sources;  ///< plain C++ against the headers of runtime/host
  ProgramModel model; ///< of the original program; empty site table when not traced
};

enum class Probes { None, Trace };

/// The same program as C++ for the CPU. With Probes::Trace every access of the model records
/// itself; with Probes::None the program only runs (for verification).
/// \error those of buildProgramModel (RL-C03 and RL-C04 only with Probes::Trace);
///        RL-C05 a CUDA feature the executor lacks, named, with its place
[[nodiscard]] Result<LoweredProgram> lowerForHost(const CompileCommand &command, Probes probes);

} // namespace relayout::instrument
