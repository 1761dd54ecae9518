// SPDX-License-Identifier: Apache-2.0
// A trace of a run of real size, of which the CPU executes a few blocks of each launch.
#pragma once

#include "relayout/trace/trace_handle.h"
#include "stages/host_program.h"

#include <string>
#include <vector>

namespace relayout::tool {

/// What a program does for its small and its real size.
struct SparseRun {
  std::vector<std::string> smallArguments;
  std::vector<std::string> realArguments;
  TraceOptions tracing;
  std::string folder; ///< for traces and outputs
};

/// Shows at the small size that the accesses of a block do not depend on what other blocks compute:
/// a run of all blocks and a sparse one make the same ones. Then runs the real size sparsely.
/// \returns  the trace of the real size
/// \error RL-T09 they do depend on it, the small size cannot tell, or the program fails where most
///        of its results are missing
[[nodiscard]] Result<trace::TraceHandle> traceSparsely(const HostProgram &traced,
                                                       const SparseRun &run);

} // namespace relayout::tool
