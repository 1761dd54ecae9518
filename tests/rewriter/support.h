// SPDX-License-Identifier: Apache-2.0
// Shared by the rewriter's tests: finds cases on disk and makes the plan a case asks for.
#pragma once

#include "relayout/analysis/plan/plan.h"
#include "relayout/instrument/command.h"
#include "relayout/rewriter/rewrite.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace relayout::rewriter::test {

/// The folders below tests/rewriter/<kind>, by name.
std::vector<std::string> casesOf(const std::string &kind);

std::filesystem::path folderOf(const std::string &kind, const std::string &name);

std::string readText(const std::filesystem::path &path);
void writeText(const std::filesystem::path &path, const std::string &text);

instrument::CompileCommand commandFor(const std::filesystem::path &source);

/// The program includes Thrust, and no toolkit here has it.
bool lacksThrust(const std::filesystem::path &source);
/// For a program of several source files.
instrument::Program programOf(const std::vector<std::filesystem::path> &sources);

/// A plan for every array of device memory of the records that the lines name. A line is
/// `Record soa`, `Record exploded`, `Record aligned 16`, or clusters: `Record x y @16 / values[]`,
/// where [] explodes a cluster; `tile ELEMENTS` and `pad BYTES` may follow. `Record:main::array
/// soa` is about one group only.
analysis::Plan planFor(const instrument::ParsedProgram &program, const std::string &lines);

/// An empty folder of this process's own, named after the running test.
std::filesystem::path scratchFolder();

/// Runs a shell command; its exit code and what it wrote to stdout and stderr.
struct Ran {
  int code = -1;
  std::string output;
};
Ran shell(const std::string &command);

/// What a run showed: its exit code, its output, and a digest for each copy to the host.
struct Outcome {
  int code = -1;
  std::string output;
  std::vector<std::string> copies;
  std::uint64_t copiedBytes = 0;
};

/// Lowers a program to the CPU, builds it below `folder`, and runs it there. Needs the executor.
Outcome runOnCpu(const instrument::ParsedProgram &program, const std::filesystem::path &folder,
                 const std::string &arguments);
Outcome runOnCpu(const std::filesystem::path &source, const std::filesystem::path &folder,
                 const std::string &arguments);

} // namespace relayout::rewriter::test
