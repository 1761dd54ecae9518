// SPDX-License-Identifier: Apache-2.0
// The programs that run before and after, and the layouts that they are given.
#pragma once

#include <filesystem>
#include <vector>

namespace relayout::rewriter::test {

struct Program {
  const char *name;
  std::filesystem::path source;
  const char *arguments;
  std::vector<const char *> layouts;
  bool printsTimes;
};

[[nodiscard]] std::vector<Program> programs();

} // namespace relayout::rewriter::test
