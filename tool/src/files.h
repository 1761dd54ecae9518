// SPDX-License-Identifier: Apache-2.0
// Reads and writes whole text files for the subcommands.
#pragma once

#include "relayout/base/result.h"

#include <string>

namespace relayout::tool {

/// \error RL-F01 the file cannot be read
[[nodiscard]] Result<std::string> readFile(const std::string &path);

/// Replaces the file in one step, creating its folder.
/// \error RL-F02 the file cannot be written
[[nodiscard]] Result<void> writeFile(const std::string &path, const std::string &text);

} // namespace relayout::tool
