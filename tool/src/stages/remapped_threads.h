// SPDX-License-Identifier: Apache-2.0
// `relayout optimize --remap`: the program with the roles of thread indices exchanged where kernels
// gain by it.
#pragma once

#include "stages/optimize_run.h"

#include "relayout/rewriter/rewrite.h"

#include <optional>
#include <string>
#include <vector>

namespace relayout::tool {

struct RemappedThreads {
  rewriter::Rewrite exchange; ///< of the program that was given
  std::string folder;         ///< where it is written
  instrument::ParsedProgram parsed;
  Traces traces; ///< of the remapped program
  std::vector<std::string> kernels;
  std::string text; ///< for the report
};

/// Exchanges them wherever that is allowed, traces that program, and keeps those kernels that are
/// predicted to gain with their arrays as they are.
/// \returns  nothing where no kernel gains
/// \error as obtainTraces()
[[nodiscard]] Result<std::optional<RemappedThreads>>
remapThreads(const OptimizeRun &run, const Traces &traces, std::vector<Diagnostic> &findings);

/// Both changes together.
/// \param rewritten  a rewrite of the remapped program; empty or not changed: of threads alone
[[nodiscard]] instrument::SourceSet ofGivenProgram(const RemappedThreads &remapped,
                                                   const instrument::SourceSet &rewritten);

} // namespace relayout::tool
