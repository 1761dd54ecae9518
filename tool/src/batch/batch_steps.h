// SPDX-License-Identifier: Apache-2.0
// The first part of a batch: trace, decide, rewrite and verify one program. Needs no GPU.
#pragma once

#include "batch/batch_file.h"
#include "batch/batch_result.h"

#include "relayout/instrument/command.h"

#include <chrono>
#include <functional>
#include <string>

namespace relayout::tool {

struct BatchSettings {
  std::string folder;                                      ///< of all results
  instrument::HeaderFolders headers = {};                  ///< that the programs are read against
  std::vector<std::string> policies = {"nakai", "replay"}; ///< to compare
  std::string machine = "h100";                            ///< policy replay predicts for it
  unsigned runs = 7;                                       ///< of each variant on the GPU
  std::chrono::seconds limit{600};                         ///< of a step, or of one run
  bool traceOnGpu = false; ///< with the large arguments, not on the CPU with the small ones
};

/// Called with the name of a step as it begins.
using StepSink = std::function<void(const std::string &step)>;

/// Digest of all that this part depends on: this build of relayout, the sources with what they
/// include, flags, arguments and settings.
[[nodiscard]] std::string preparationDigest(const BatchProgram &program,
                                            const BatchSettings &settings);

/// Where a variant has one of the program's files: they lie around its main file as they do around
/// the original's.
[[nodiscard]] std::string fileOfVariant(const BatchProgram &program, const BatchVariant &variant,
                                        const std::string &source);

/// Runs the subcommands instrument and run (or cc and profile), analyze, rewrite and verify, each
/// as a process of its own: whatever happens to one of them, the batch goes on. Their output is in
/// FOLDER/PROGRAM/logs. A step that fails is reported in the result.
[[nodiscard]] BatchResult prepareProgram(const BatchProgram &program, const BatchSettings &settings,
                                         const StepSink &step);

/// How many times prepareProgram calls its sink, at most.
[[nodiscard]] std::size_t preparationSteps(const BatchProgram &program,
                                           const BatchSettings &settings);

} // namespace relayout::tool
