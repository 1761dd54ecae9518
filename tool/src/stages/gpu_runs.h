// SPDX-License-Identifier: Apache-2.0
// Runs versions of a program on the GPU: kernel times by CUPTI, digests of copies to the host.
#pragma once

#include "processes/gpu_machine.h"
#include "processes/install_paths.h"
#include "stages/host_program.h"
#include "stages/measure.h"

#include <map>
#include <string>
#include <vector>

namespace relayout::tool {

/// The GPU, with what of relayout's own installation needs it.
/// \error RL-G05 no GPU, no nvcc, or relayout was built without CUDA or CUPTI
[[nodiscard]] Result<GpuMachine> findUsableGpu(const InstallPaths &paths);

/// How versions are run.
struct GpuRunSettings {
  std::vector<std::string> arguments;
  std::string folder; ///< FOLDER/VERSION/program is run, and its results are beside it
  std::string libraries;
};

class GpuRuns {
public:
  /// \param failures  of versions that could not be built, by name
  GpuRuns(GpuRunSettings settings, std::map<std::string, Error> failures);

  /// The program of a version.
  [[nodiscard]] std::string programOf(const std::string &version) const;

  /// \error RL-G06 it was not built; RL-X04 it failed; RL-G04 CUPTI told no kernel times
  [[nodiscard]] Result<TimedRun> operator()(const std::string &version) const;

  /// Runs a version that says what is padding in the records that it copies. From then on, that is
  /// left out of what all versions copy.
  [[nodiscard]] Result<void> takePaddingFrom(const std::string &version);

  /// Without times.
  [[nodiscard]] Result<Copies> copiesOf(const std::string &version) const;

private:
  [[nodiscard]] Result<void> run(const std::string &version, bool isTimed) const;

  GpuRunSettings settings_;
  std::map<std::string, Error> failures_;
  std::string padding_; ///< file of the copies whose padding is known; empty: of none
};

/// Runs a program with probes on the GPU.
/// \param outputFile  the program's output; empty: straight to ours
/// \error RL-X02 it cannot be started; RL-X04 it failed
[[nodiscard]] Result<void> runProbed(const std::vector<std::string> &command,
                                     const std::string &traceFile, const TraceOptions &options,
                                     const std::string &outputFile);

} // namespace relayout::tool
