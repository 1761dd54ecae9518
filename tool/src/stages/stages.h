// SPDX-License-Identifier: Apache-2.0
// The steps that several subcommands share, each over files that stay on disk.
#pragma once

#include "processes/install_paths.h"
#include "relayout/analysis/plan/plan.h"
#include "relayout/base/diagnostic.h"
#include "relayout/instrument/lowering.h"
#include "relayout/trace/trace_handle.h"
#include "stages/copy_comparison.h"
#include "stages/executed_changes.h"
#include "stages/host_program.h"
#include "stages/output_check.h"
#include "stages/undefined_original.h"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace relayout::tool {

/// The folder in which a rewrite's relative paths start.
[[nodiscard]] std::filesystem::path rootOf(const instrument::SourceSet &sources);

/// The program in a folder that its sources were written to. Include folders of the commands that
/// lie in the program's tree are looked for below that folder first.
/// \param sources  the program's files, as a rewrite gives them
[[nodiscard]] instrument::Program inFolder(const instrument::Program &program,
                                           const instrument::SourceSet &sources,
                                           const std::string &folder);

/// The same, with the original in place of each unit that includes nothing changed: what is
/// compiled of one serves both.
[[nodiscard]] instrument::Program changedInFolder(const instrument::Program &program,
                                                  const instrument::SourceSet &sources,
                                                  const std::string &folder);

/// The source files of the units, as their commands name them.
[[nodiscard]] std::vector<std::string> filesOf(const instrument::Program &program);

/// Lowers a program and writes the result below `folder`; findings are added to `findings`.
/// \param name  of the subfolder; compiled units are shared by all of the folder's
[[nodiscard]] Result<HostProgram> lowerToFolder(const instrument::ParsedProgram &program,
                                                instrument::Probes probes,
                                                const std::string &folder, const std::string &name,
                                                std::vector<Diagnostic> &findings);

/// What comparing two programs found.
struct Verification {
  CopyComparison comparison;
  /// The programs differed with their blocks run concurrently; both were run again with one
  /// worker, blocks in order, and that is what was compared.
  bool serial = false;
  std::string gpu = {};       ///< on which both ran; empty: they ran on the CPU
  std::string whyNotGpu = {}; ///< they were to run on a GPU, where nothing can be compared
  bool sparse = false;        ///< of each launch of either program the sampled blocks alone ran
  std::chrono::seconds endedAfter{0}; ///< of them one was ended, with copies to come; 0: none
  int exitCode = 0;                   ///< of both, on the CPU
  bool endsAtRandom = false;          ///< the original's exit code is another in each run
  UnexecutedChanges unexecuted = {};  ///< where a trace of the run is at hand
  std::optional<UndefinedResults> undefined = {}; ///< of the original; asked where copies differ

  [[nodiscard]] bool isPartial() const { return sparse || endedAfter.count() != 0; }
};

/// Runs both programs and compares what they copy out of device memory. Trace files and the
/// programs' output are left in their folders.
/// \param running  how; in sparse runs the same blocks are left out of both
/// \error RL-X04 either program fails; RL-V02 the original copies nothing out; RL-V07 runs that
///        took too long were ended before the first copy; RL-T… its trace
[[nodiscard]] Result<Verification> runAndCompare(const HostProgram &original,
                                                 const HostProgram &rewritten,
                                                 const std::vector<std::string> &arguments,
                                                 const InstallPaths &paths,
                                                 const TraceOptions &running = {});

/// Of one run on the CPU, in place of a comparison on a GPU.
inline constexpr std::chrono::seconds kInsteadOfGpuLimit{600};

/// What runAndCompare() says where nothing could be compared on the GPU.
/// \error notComparable, with why it is not possible on the CPU either
[[nodiscard]] Result<Verification> insteadOfGpu(const Error &notComparable,
                                                Result<Verification> onCpu);

/// "verified: 3 copies, 65,536 bytes, identical", or the difference as an error.
/// \param check  whether the rewritten units compile; "verified" is said only if all are known to
/// \error RL-V01 the programs copy different bytes; RL-V07 so do runs of the original
[[nodiscard]] Result<std::string> verdict(const Verification &verification,
                                          const OutputCheck &check);

/// Reads a trace in which at least one kernel ran.
/// \error RL-T…; RL-T08 no kernel ran
[[nodiscard]] Result<trace::TraceHandle> readUsableTrace(const std::string &path);

} // namespace relayout::tool
