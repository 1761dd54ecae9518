// SPDX-License-Identifier: Apache-2.0
// A lowered program on disk: its sources, how to build it for the CPU, and how to run it.
#pragma once

#include "processes/install_paths.h"
#include "relayout/base/result.h"
#include "relayout/instrument/lowering.h"
#include "relayout/trace/trace.h"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace relayout::tool {

/// What `instrument` leaves in a folder and `run` picks up (program.json).
struct HostProgram {
  std::string folder;
  std::string objects; ///< folder of compiled units, by what went into them
  std::vector<instrument::LoweredUnit> units;
  std::vector<std::string> linkFlags;

  /// The user's source files.
  [[nodiscard]] std::string sources() const;
};

/// Writes sources and program.json.
/// \param objects  may serve several programs: equal units are compiled once
[[nodiscard]] Result<HostProgram> writeHostProgram(const instrument::LoweredProgram &lowered,
                                                   const std::string &folder,
                                                   const std::string &objects);

/// \error RL-F01 no program.json; RL-F03 it is not one of ours
[[nodiscard]] Result<HostProgram> readHostProgram(const std::string &folder);

/// Compiles what has changed of each program's units, on all cores, and links each into
/// folder/program.
/// \error RL-X05 one needs something from another file; RL-X03 it does not compile otherwise. The
///        compiler's output is in build.log
[[nodiscard]] Result<void> buildHostPrograms(const std::vector<const HostProgram *> &programs,
                                             const InstallPaths &paths);

/// How much to record; each maps to an environment variable the runtime reads.
struct TraceOptions {
  std::string mode = "sampled"; ///< full, sampled or counts
  unsigned sampleBlocks = 0;    ///< 0: the runtime's default
  unsigned long long maxBytes = 0;
  unsigned workers = 0;
  bool sparse = false;                         ///< run the sampled blocks alone
  std::vector<std::string> sparseKernels = {}; ///< of these only; empty: of all
  /// After so long the program leaves out blocks, and after twice as long it is ended; 0: neither.
  std::chrono::seconds wholeFor{0};
  bool otherHeap = false;  ///< what malloc() gives has other bytes than usual
  bool fillsFreed = false; ///< device memory that is freed has other bytes from then on
  /// Where a program that is compiled with -fsanitize=bounds tells of an index; empty: nowhere.
  std::string outOfBoundsFile = {};
  std::chrono::seconds limit{0}; ///< after which the program is ended; 0: never
};

/// True where blocks were left out of the run, or it was ended.
[[nodiscard]] bool isCutShort(const trace::Trace &trace);

/// Of the time of day that programs under comparison are told, in all runs of this process: a value
/// for kStartTimeVariable.
[[nodiscard]] std::string startTime();

/// What tells a program with probes, on the CPU or the GPU, to write a trace.
[[nodiscard]] std::map<std::string, std::string> traceEnvironment(const std::string &traceFile,
                                                                  const TraceOptions &options);

/// Runs folder/program and leaves the trace in traceFile. A program that was cut short may fail:
/// its results are missing.
/// \param outputFile  the program's output; empty: straight to ours
/// \returns  its exit code: not zero only where the trace is complete and has launches; 128 and the
/// signal's number where host code crashed
/// \error RL-X02 it cannot be started; RL-X04 it ended with a signal in device code, or in
/// another way that is no success before it launched anything
[[nodiscard]] Result<int> runHostProgram(const HostProgram &program,
                                         const std::vector<std::string> &arguments,
                                         const std::string &traceFile, const TraceOptions &options,
                                         const std::string &outputFile);

/// "exit code 3", or "signal 6 (Aborted) in host code" of a run that ended in order all the same.
[[nodiscard]] std::string howItEnded(int exitCode);

/// RL-X06, of an exit code that is not zero.
[[nodiscard]] Diagnostic endedWith(int exitCode, const std::string &outputFile);

} // namespace relayout::tool
