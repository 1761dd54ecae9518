// SPDX-License-Identifier: Apache-2.0
#include "stages/last_output.h"

#include "processes/files.h"

#include <sstream>

namespace relayout::tool {
namespace {

constexpr std::size_t kLines = 3;
constexpr std::size_t kMostCharacters = 200; // of a line

} // namespace

std::vector<Note> lastOutput(const std::string &outputFile) {
  const auto output = outputFile.empty() ? Result<std::string>() : readFile(outputFile);
  std::istringstream text(output.value_or(""));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' '))
      line.pop_back();
    if (!line.empty())
      lines.push_back(line.substr(0, kMostCharacters));
    if (lines.size() > kLines)
      lines.erase(lines.begin());
  }
  if (lines.empty())
    return {};
  std::string note = "the last that it printed:";
  for (const std::string &line : lines)
    note += "\n    " + line;
  return {{{}, note}};
}

} // namespace relayout::tool
