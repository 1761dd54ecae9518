// SPDX-License-Identifier: Apache-2.0
// Programs whose results the language does not define.
#pragma once

#include "processes/install_paths.h"
#include "stages/copies_of_run.h"

#include <string>
#include <vector>

namespace relayout::tool {

/// Whether a program copies back other bytes than it did, with its blocks in order, where what it
/// frees is filled with other bytes, or where it is compiled without optimisation, so that its
/// variables lie elsewhere. What it computes then depends on memory that it does not own: a rewrite
/// that changes it as well is not at fault.
/// \param program  built
/// \param before   its run with one worker
[[nodiscard]] bool isUndefined(const HostProgram &program,
                               const std::vector<std::string> &arguments,
                               const TraceOptions &running, const InstallPaths &paths,
                               const CopiesOfRun &before);

} // namespace relayout::tool
