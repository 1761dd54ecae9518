// SPDX-License-Identifier: Apache-2.0
// Lowers CUDA C++ to C++ for the CPU executor, with or without probes.
#pragma once

#include "relayout/base/result.h"
#include "relayout/instrument/parsed_program.h"
#include "relayout/instrument/program_model.h"
#include "relayout/instrument/source_set.h"

#include <string>
#include <vector>

namespace relayout::instrument {

/// A unit to compile for the CPU as C++, by itself.
struct LoweredUnit {
  std::string source;             ///< the user's file; empty for a generated unit
  std::string file;               ///< relativePath of its main file among the sources
  std::vector<std::string> flags; ///< of the compiler
};

struct LoweredProgram {
  /// Plain C++ against the headers of runtime/host. Each unit has a folder with its own copy of
  /// the headers that it includes, as their text may depend on the unit.
  SourceSet sources;
  /// In link order: where units share an inline function, the first one's is linked, and only that
  /// of a CUDA unit has probes.
  std::vector<LoweredUnit> units;
  std::vector<std::string> linkFlags;
  ProgramModel model; ///< of the original program; empty site table when not traced
};

enum class Probes { None, Trace };

/// The same program as C++ for the CPU. With Probes::Trace every access of the model records
/// itself; with Probes::None the program only runs (for verification).
/// \error those of buildProgramModel (RL-C03 and RL-C04 only with Probes::Trace);
///        RL-C05 a CUDA feature the executor lacks, named, with its place
[[nodiscard]] Result<LoweredProgram> lowerForHost(const ParsedProgram &program, Probes probes);

} // namespace relayout::instrument
