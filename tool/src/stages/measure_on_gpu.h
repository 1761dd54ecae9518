// SPDX-License-Identifier: Apache-2.0
// Builds the best few layouts, compares what they copy back and times them on this machine's GPU.
#pragma once

#include "relayout/instrument/command.h"
#include "stages/decide.h"
#include "stages/gpu_runs.h"
#include "stages/stages.h"

#include <string>
#include <vector>

namespace relayout::tool {

struct GpuMeasurement {
  const GpuMachine &gpu;
  GpuRunSettings runs;
  unsigned count = 5;     ///< timed runs of each version
  const SearchSink &note; ///< what is being built or run
};

/// Rewrites every alternative below the folder, builds them and the original, runs all in turn and
/// sets the plan to that of the fastest that copies back what the original does, or to the original
/// where none is faster by more than noise. A layout that was asked for stays, whatever its time.
/// What came of it is added to the decision; nothing, where no alternative changes anything.
/// Where nothing can be compared on the GPU, the fastest is kept uncompared (MeasuredChoice).
/// \error RL-G06, RL-X04, RL-G04 the original cannot be built, run or timed; RL-V02 it copies
///        nothing back; RL-V01 and the former ones a layout that was asked for fails
[[nodiscard]] Result<void> decideByMeasure(const instrument::Program &program,
                                           const GpuMeasurement &measurement, Decided &decided);

/// A warning for each version that copied back other bytes than the original.
[[nodiscard]] std::vector<Diagnostic> faultsOf(const MeasuredVersions &measured);

/// Builds both programs and compares what they copy back: the original's is that of two runs.
/// \error RL-G06, RL-X04 either cannot be built or fails; RL-V02, RL-V07 nothing can be compared
[[nodiscard]] Result<Verification> runAndCompareOnGpu(const instrument::Program &original,
                                                      const instrument::Program &rewritten,
                                                      const GpuMachine &gpu,
                                                      const GpuRunSettings &settings);

} // namespace relayout::tool
