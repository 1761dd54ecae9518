// SPDX-License-Identifier: Apache-2.0
// A program with its probes for the GPU, and how these count at the marks of its text.
#pragma once

#include "program_text.h"

#include "relayout/instrument/gpu_probes.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <regex>
#include <string>

namespace relayout::instrument {

class Probed {
public:
  explicit Probed(const std::string &body) {
    const ProgramText program("struct P { float x, y; int n; };\n" + body);
    auto probed = insertGpuProbes(program.command);
    EXPECT_TRUE(probed.has_value()) << render(toDiagnostic(probed ? Error{} : probed.error()));
    if (probed)
      text = probed->sources.files.front().text;
  }

  /// "at once", "register N", "by SITE" or "" at the mark.
  [[nodiscard]] std::string counting(const std::string &mark) const {
    const std::size_t at = text.find("/*" + mark + "*/");
    EXPECT_NE(at, std::string::npos) << "no mark " << mark;
    std::smatch found;
    const std::string behind = text.substr(at);
    const std::regex probe(
        R"(^/\*\w+\*/[^;]*?relayoutCounts\d+\.\w+<([^>,]+)(?:, false)?>\((\d+)u)");
    if (!std::regex_search(behind, found, probe))
      return "";
    if (found[1] == "::relayout::probe::kAtOnce")
      return "at once";
    if (found[1] != "::relayout::probe::kByAnother")
      return "register " + found[1].str();
    const std::regex row("\\{" + found[2].str() + "u, (\\d+)u\\}");
    std::smatch shared;
    EXPECT_TRUE(std::regex_search(text, shared, row)) << text;
    return "by " + shared[1].str();
  }

  /// Whether the record at the mark is made by a function that is called.
  [[nodiscard]] bool isRecordedByCall(const std::string &mark) const {
    const std::string behind = text.substr(text.find("/*" + mark + "*/"));
    return std::regex_search(behind,
                             std::regex(R"(^/\*\w+\*/\(relayoutCounts\d+\.\w+<[^>]*, false>)"));
  }

  /// What the version that only counts has at the mark: "" for the bare access, else its probe.
  [[nodiscard]] std::string counted(const std::string &mark) const {
    const std::string comment = "/*" + mark + "*/";
    const std::size_t first = text.find(comment);
    const std::size_t at = text.find(comment, first + 1);
    EXPECT_NE(at, std::string::npos) << "no second mark " << mark << '\n' << text;
    if (at == std::string::npos)
      return "no version";
    const std::string behind = text.substr(at + comment.size());
    std::smatch found;
    if (std::regex_search(behind, found, std::regex(R"(^\(relayoutTogether\d+\.(ran<\d+>))")) ||
        std::regex_search(behind, found, std::regex(R"(^\(relayoutCounts\d+\.(count\w*<[^>]*>))")))
      return found[1];
    return "";
  }
  [[nodiscard]] std::ptrdiff_t times(const std::string &piece) const {
    std::ptrdiff_t count = 0;
    for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1))
      ++count;
    return count;
  }

  std::string text;
};

} // namespace relayout::instrument
