// SPDX-License-Identifier: Apache-2.0
// Programs whose accesses say beside themselves what becomes of them.
#pragma once

#include "support.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <utility>

namespace relayout::rewriter::test {

inline std::string rewritten(const std::string &text, const std::string &texts = "nz,ny",
                             const std::string &array = "main::u") {
  const std::filesystem::path folder = scratchFolder();
  writeText(folder / "program.cu", text);
  const instrument::ParsedProgram program = commandFor(folder / "program.cu");
  const Result<Rewrite> result = rewrite(
      program,
      planFor(program, fmt::format("double:{} aligned 0 order 6,5 1,0,2 texts {}", array, texts)));
  std::filesystem::remove_all(folder);
  if (!result || result->refused() || result->sources.files.empty()) {
    ADD_FAILURE() << (result ? render(result->findings.front()) : result.error().text);
    return {};
  }
  return result->sources.files.front().text;
}

/// Of each line that ends in `// becomes CODE` or `// stays`.
inline void expectAsMarked(const std::string &text) {
  std::istringstream lines(text);
  int marked = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t comment = line.find("// ");
    if (comment == std::string::npos)
      continue;
    ++marked;
    const std::string code = line.substr(0, comment), expected = line.substr(comment + 3);
    if (expected == "stays") {
      EXPECT_THAT(code, testing::Not(testing::HasSubstr(".at("))) << line;
    } else {
      ASSERT_TRUE(expected.starts_with("becomes ")) << line;
      EXPECT_THAT(code, testing::HasSubstr(expected.substr(8)));
    }
  }
  EXPECT_GT(marked, 0) << text;
}

/// One kernel with a guarded access, called `k`.
inline const char *const kGuarded = R"(__global__ void k(double *u, int ny, int nz) {
  const int x = threadIdx.x, y = threadIdx.y;
  for (int z = 0; z < nz; ++z)
    if (y < ny)
      u[(x * ny + y) * nz + z] = 0; // MARK
}
)";

inline std::string marked(std::string text, const std::string &expectation) {
  return text.replace(text.find("MARK"), 4, expectation);
}

/// A program whose kernel is `k` of kGuarded, both ways.
inline void expectCoordinates(bool areProved, const std::string &rest, const std::string &texts,
                              const std::string &array) {
  const std::string kernel = marked(kGuarded, areProved ? "becomes u.at(x, y, z) = 0" : "stays");
  SCOPED_TRACE(rest);
  // Headers take most of a program's reading.
  std::string headers = "#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n";
  for (const auto &[name, header] : {std::pair{"std::make_unique", "memory"},
                                     {"std::unique_ptr", "memory"},
                                     {"std::vector", "vector"},
                                     {"std::swap", "utility"}})
    if (rest.find(name) != std::string::npos)
      headers += fmt::format("#include <{}>\n", header);
  expectAsMarked(rewritten(headers + kernel + rest, texts, array));
}

} // namespace relayout::rewriter::test
