// SPDX-License-Identifier: Apache-2.0
// Programs whose results the language does not define.
#pragma once

#include "processes/install_paths.h"
#include "stages/copies_of_run.h"

#include <string>
#include <vector>

namespace relayout::tool {

/// Whether all copies that the rewrite changes are copies that the original, with its blocks in
/// order, changes itself where memory that it has freed holds other bytes, or where it is compiled
/// without optimisation, so that its variables lie elsewhere.
/// \param program   the original, built
/// \param expected  its copies, as far as they repeat
/// \param after     those of the rewritten program
/// \param took      how long the original ran
[[nodiscard]] bool differsItself(const HostProgram &program,
                                 const std::vector<std::string> &arguments,
                                 const TraceOptions &running, const InstallPaths &paths,
                                 OriginalCopies expected, const Copies &after,
                                 std::chrono::seconds took);

} // namespace relayout::tool
