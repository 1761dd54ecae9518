// SPDX-License-Identifier: Apache-2.0
// Lowers a program text, compiles it with each host compiler there is, and runs it.
#pragma once

#include "program_text.h"

#include "relayout/instrument/lowering.h"

#include <sstream>
#include <utility>

namespace relayout::instrument {

inline std::vector<std::string> hostCompilers() {
  std::istringstream names(LOWERED_COMPILERS);
  std::vector<std::string> compilers;
  for (std::string name; names >> name;)
    if (std::filesystem::exists(name))
      compilers.push_back(name);
  return compilers;
}

/// Runs a shell's line; what it prints, and its exit status.
inline std::pair<std::string, int> shell(const ProgramText &program, const std::string &line) {
  const std::string output = program.folder() + "/output";
  const int status = std::system(("(" + line + ") > " + output + " 2>&1").c_str());
  std::ostringstream read;
  read << std::ifstream(output).rdbuf();
  return {read.str(), WEXITSTATUS(status)};
}

/// \returns  empty, or why the program cannot be lowered or compiled
inline std::string buildLowered(const ProgramText &program, Probes probes,
                                const std::string &compiler) {
  auto lowered = lowerForHost(program.program(), probes);
  if (!lowered)
    return render(toDiagnostic(lowered.error()));
  const std::string folder = program.folder() + "/lowered";
  if (auto written = writeSources(lowered->sources, folder); !written)
    return render(toDiagnostic(written.error()));
  std::string line = "cd " + folder;
  std::string objects;
  for (const LoweredUnit &unit : lowered->units) {
    const bool isC = unit.file.ends_with(".c");
    line += " && " + compiler + " -O1 -w -ffp-contract=off -isystem " CUDA_HEADERS;
    line += isC ? "" : " -std=c++17";
    for (const std::string &flag : unit.flags)
      line += " " + flag;
    line += (isC ? " -x c -c " : " -x c++ -c ") + unit.file + " -o " + unit.file + ".o";
    objects += " " + unit.file + ".o";
  }
  const auto [text, status] = shell(program, line + " && " + compiler + objects + " -o " +
                                                 program.folder() + "/lowered.out " LOWERED_LINK);
  return status == 0 ? std::string() : "does not compile with " + compiler + ":\n" + text;
}

/// What the program that was built last prints, its exit status in the last line.
/// \param environment  "NAME=value NAME=value"
inline std::string runBuilt(const ProgramText &program, const std::string &environment = {}) {
  const auto [text, status] =
      shell(program, "env " + environment + " " + program.folder() + "/lowered.out");
  return text + "exit " + std::to_string(status);
}

/// As buildLowered() and runBuilt().
inline std::string runLowered(const ProgramText &program, Probes probes,
                              const std::string &compiler, const std::string &environment = {}) {
  const std::string failure = buildLowered(program, probes, compiler);
  return failure.empty() ? runBuilt(program, environment) : failure;
}

} // namespace relayout::instrument
