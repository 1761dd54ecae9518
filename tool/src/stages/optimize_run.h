// SPDX-License-Identifier: Apache-2.0
// What the stages of one `relayout optimize` share, and those that leave files of their own.
#pragma once

#include "processes/gpu_machine.h"
#include "reports/console.h"
#include "stages/decide.h"
#include "stages/program_inputs.h"
#include "stages/stages.h"

#include "relayout/rewriter/rewrite.h"

#include <optional>
#include <string>
#include <vector>

namespace relayout::tool {

struct OptimizeOptions {
  ProgramInputs inputs;
  std::string folder;
  std::string on = "auto";   ///< or "cpu", "gpu"
  std::string trace;         ///< of an earlier run, on a GPU for one; empty: made here
  std::string realArguments; ///< of a run of the size that counts, apart by spaces; empty: none
  std::string scaleWith;     ///< arguments of another run, as realArguments; empty: none
  bool quiet = false;
  bool compile = true; ///< finalists, where nvcc is installed
  bool remap = false;  ///< also exchange the roles of thread indices
  unsigned runs = 5;   ///< timed ones of each version, on a GPU
  TraceOptions tracing;
  DecideOptions deciding;
};

struct OptimizeRun {
  const OptimizeOptions &options;
  instrument::Program &program;              ///< its headers are the toolkit's once that helped
  instrument::ParsedProgram &parsed;         ///< that program
  const std::vector<std::string> &arguments; ///< the program's
  const std::vector<std::string> &commandLine;
  const InstallPaths &paths;
  const GpuMachine *gpu; ///< null: everything runs on the CPU
  std::string folder;    ///< for all results
  Progress &progress;

  /// Of the run that counts.
  [[nodiscard]] std::vector<std::string> realArguments() const;
};

/// The program's own run, and the one that the choice is for.
struct Traces {
  std::string file; ///< of `own`
  trace::TraceHandle own;
  trace::TraceHandle deciding;                ///< of the real size, where that was sampled
  std::optional<trace::TraceHandle> otherRun; ///< with the arguments of --scale-with
  std::optional<Error> notComparable = {};    ///< RL-V02: `own` shows no results
};

/// Traces the program where the run is, or reads the trace that was given. What the program prints
/// is left in FOLDER/traced/output.txt.
[[nodiscard]] Result<Traces> obtainTraces(const OptimizeRun &run,
                                          std::vector<Diagnostic> &findings);

/// How many times obtainTraces() begins a stage.
[[nodiscard]] int tracingStages(const OptimizeOptions &options, bool isOnGpu);

/// A decision, and what the rewriter makes of it.
struct AppliedDecision {
  Decided decided;
  rewriter::Rewrite rewrite;
};

/// Decides from the traces, or on a GPU by measurements, and applies the decision. Where it
/// explodes arrays that the program uses whole, another one is made without. \param parsed    the
/// program, perhaps with its threads remapped \param findings  why \error as decide(), the
/// rewriter, and what builds and measures on a GPU
[[nodiscard]] Result<AppliedDecision> decideAndRewrite(const OptimizeRun &run,
                                                       const instrument::ParsedProgram &parsed,
                                                       const Traces &traces,
                                                       std::vector<Diagnostic> &findings);

/// Compiles the rewritten units, and writes and shows them if that succeeds.
/// \error RL-V04 a unit does not compile; RL-F02
[[nodiscard]] Result<OutputCheck> writeRewritten(const OptimizeRun &run,
                                                 const instrument::SourceSet &sources);

/// Where writeRewritten() writes.
[[nodiscard]] std::string rewrittenFolder(const OptimizeRun &run);

} // namespace relayout::tool
