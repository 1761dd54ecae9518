// SPDX-License-Identifier: Apache-2.0
// Programs whose results the language does not define.
#pragma once

#include "processes/install_paths.h"
#include "stages/copies_of_run.h"

#include <optional>
#include <string>
#include <vector>

namespace relayout::tool {

/// Why a program's copies need not be the same after a rewrite.
struct UndefinedResults {
  std::string why;        ///< "and so has the original where ..."
  SourcePlace where = {}; ///< of an index beyond the end of an array
};

/// Whether all copies that the rewrite changes are copies that the original, with its blocks in
/// order, changes itself where memory that it has freed holds other bytes, or where it is compiled
/// without optimisation, so that its variables lie elsewhere; or whether it indexes an array beyond
/// its end, where another layout has something else.
/// \param program   the original, built
/// \param expected  its copies, as far as they repeat
/// \param after     those of the rewritten program
/// \param took      how long the original ran
[[nodiscard]] std::optional<UndefinedResults>
undefinedResults(const HostProgram &program, const std::vector<std::string> &arguments,
                 const TraceOptions &running, const InstallPaths &paths, OriginalCopies expected,
                 const Copies &after, std::chrono::seconds took);

} // namespace relayout::tool
