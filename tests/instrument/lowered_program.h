// SPDX-License-Identifier: Apache-2.0
// Lowers a program text, compiles it with each host compiler there is, and runs it.
#pragma once

#include "program_text.h"

#include "relayout/instrument/lowering.h"

#include <sstream>

namespace relayout::instrument {

inline std::vector<std::string> hostCompilers() {
  std::istringstream names(LOWERED_COMPILERS);
  std::vector<std::string> compilers;
  for (std::string name; names >> name;)
    if (std::filesystem::exists(name))
      compilers.push_back(name);
  return compilers;
}

/// What the lowered program prints, its exit status in the last line.
/// \param environment  "NAME=value NAME=value"
inline std::string runLowered(const ProgramText &program, Probes probes,
                              const std::string &compiler, const std::string &environment = {}) {
  auto lowered = lowerForHost(program.command, probes);
  if (!lowered)
    return render(toDiagnostic(lowered.error()));
  const std::string folder = program.folder() + "/lowered";
  if (auto written = writeSources(lowered->sources, folder); !written)
    return render(toDiagnostic(written.error()));
  const std::string binary = program.folder() + "/lowered.out";
  const std::string output = program.folder() + "/output";
  auto shell = [&](const std::string &line) {
    return std::system(("(" + line + ") > " + output + " 2>&1").c_str());
  };
  auto text = [&] {
    std::ostringstream read;
    read << std::ifstream(output).rdbuf();
    return read.str();
  };
  if (shell(compiler + " -std=c++17 -O1 -w -ffp-contract=off -isystem " CUDA_HEADERS " -x c++ " +
            folder + "/" + lowered->sources.files.front().relativePath + " -x none -o " + binary +
            " " LOWERED_LINK) != 0)
    return "does not compile with " + compiler + ":\n" + text();
  const int status = shell("env " + environment + " " + binary);
  return text() + "exit " + std::to_string(WEXITSTATUS(status));
}

} // namespace relayout::instrument
