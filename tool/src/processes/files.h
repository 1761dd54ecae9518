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

/// Gives an error that has no place the file that was read.
template <class T> [[nodiscard]] Result<T> inFile(Result<T> result, const std::string &path) {
  if (!result && result.error().where.file.empty())
    result.error().where.file = path;
  return result;
}

} // namespace relayout::tool
