// SPDX-License-Identifier: Apache-2.0
// Lowers a program text, compiles it with each host compiler there is, and runs it. The text is
// parsed once for all of them.
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

/// Lowers a program and writes it below the text's folder.
inline Result<LoweredProgram> writeLowered(const ProgramText &text, const ParsedProgram &program,
                                           Probes probes) {
  auto lowered = lowerForHost(program, probes);
  if (!lowered)
    return lowered;
  if (auto written = writeSources(lowered->sources, text.folder() + "/lowered"); !written)
    return tl::unexpected(std::move(written.error()));
  return lowered;
}

/// \returns  empty, or why what was written last cannot be compiled
inline std::string compileLowered(const ProgramText &text, const LoweredProgram &lowered,
                                  const std::string &compiler) {
  std::string line = "cd " + text.folder() + "/lowered";
  std::string objects;
  for (const LoweredUnit &unit : lowered.units) {
    const bool isC = unit.file.ends_with(".c");
    line += " && " + compiler + " -O1 -w -ffp-contract=off -isystem " CUDA_HEADERS;
    line += isC ? "" : " -std=c++17";
    for (const std::string &flag : unit.flags)
      if (flag != kLateTemplates || compiler.find("clang") != std::string::npos) // GCC needs none
        line += " " + flag;
    line += (isC ? " -x c -c " : " -x c++ -c ") + unit.file + " -o " + unit.file + ".o";
    objects += " " + unit.file + ".o";
  }
  const auto [output, status] = shell(text, line + " && " + compiler + objects + " -o " +
                                                text.folder() + "/lowered.out " LOWERED_LINK);
  return status == 0 ? std::string() : "does not compile with " + compiler + ":\n" + output;
}

/// \returns  empty, or why the program cannot be lowered or compiled
inline std::string buildLowered(const ProgramText &program, Probes probes,
                                const std::string &compiler) {
  const auto lowered = writeLowered(program, program.program(), probes);
  return lowered ? compileLowered(program, *lowered, compiler)
                 : render(toDiagnostic(lowered.error()));
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

/// What the program prints with every compiler, where it is lowered with these probes.
inline void expectOutputWith(Probes probes, const ProgramText &text, const ParsedProgram &program,
                             const std::string &output) {
  SCOPED_TRACE(probes == Probes::None ? "without probes" : "with probes");
  const auto lowered = writeLowered(text, program, probes);
  ASSERT_TRUE(lowered) << render(toDiagnostic(lowered.error()));
  ASSERT_FALSE(hostCompilers().empty());
  for (const std::string &compiler : hostCompilers()) {
    const std::string failure = compileLowered(text, *lowered, compiler);
    EXPECT_EQ(failure.empty() ? runBuilt(text) : failure, output + "exit 0") << compiler;
  }
}

/// Traced or not, the program prints the same.
inline void expectOutput(const ProgramText &text, const std::string &output) {
  const ParsedProgram program = text.program();
  expectOutputWith(Probes::None, text, program, output);
  expectOutputWith(Probes::Trace, text, program, output);
}

/// The same, traced where the program has arrays of records.
inline void expectOutputOfAny(const std::string &program, const std::string &output) {
  const ProgramText text(program);
  const ParsedProgram parsed = text.program();
  expectOutputWith(Probes::None, text, parsed, output);
  if (const auto model = buildProgramModel(parsed);
      model || model.error().code != Code::NoRecordArray)
    expectOutputWith(Probes::Trace, text, parsed, output);
}

} // namespace relayout::instrument
