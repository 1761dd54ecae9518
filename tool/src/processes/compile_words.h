// SPDX-License-Identifier: Apache-2.0
// A build's compile command, as `relayout cc` has to understand it.
#pragma once

#include "relayout/base/result.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace relayout::tool {

/// The command with the compiler first, without ccache and its kin, and response files read.
[[nodiscard]] std::vector<std::string> commandOf(const std::vector<std::string> &words);

/// The places in a command of the CUDA sources that it compiles, by their endings or by `-x cu`.
[[nodiscard]] std::vector<std::size_t> cudaSourcesOf(const std::vector<std::string> &command);

/// Whether the command ends before the linker.
[[nodiscard]] bool linksNothing(const std::vector<std::string> &command);

/// Whether the command compiles nothing at all: it prints dependencies, or what it would run.
[[nodiscard]] bool compilesNothing(const std::vector<std::string> &command);

/// The dependency files that a compile writes besides its object (-MD, -MMD).
[[nodiscard]] std::vector<std::string> dependencyFilesOf(const std::vector<std::string> &command);

/// Names the user's files in a dependency file in place of the copies that the compiler read.
/// \param sourceOf  by the path of the copy
/// \error RL-F01, RL-F02
[[nodiscard]] Result<void> nameSources(const std::string &file,
                                       const std::map<std::string, std::string> &sourceOf);

/// Adds a command's units to FOLDER/compile_commands.json, in place of what it says of them.
/// Several processes may do so at once. \error RL-F01, RL-F02, RL-F03 the file is not a compilation
/// database
[[nodiscard]] Result<void> recordUnits(const std::vector<std::string> &command,
                                       const std::string &folder);

} // namespace relayout::tool
