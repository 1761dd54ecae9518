// SPDX-License-Identifier: Apache-2.0
// Builds and runs programs on the CPU executor, for tests that look at what they compute.
#include "relayout/instrument/lowering.h"
#include "relayout/trace/reader.h"
#include "support.h"

#include <gtest/gtest.h>

namespace relayout::rewriter::test {

namespace fs = std::filesystem;

Outcome runOnCpu(const fs::path &source, const fs::path &folder, const std::string &arguments) {
  return runOnCpu(commandFor(source), folder, arguments);
}

Outcome runOnCpu(const instrument::ParsedProgram &program, const fs::path &folder,
                 const std::string &arguments) {
  Outcome run;
  const auto lowered = instrument::lowerForHost(program, instrument::Probes::None);
  if (!lowered) {
    ADD_FAILURE() << render(toDiagnostic(lowered.error()));
    return run;
  }
  EXPECT_TRUE(instrument::writeSources(lowered->sources, (folder / "lowered").string()));
  std::string line = std::string("cd ") + (folder / "lowered").string();
  std::string objects;
  for (const instrument::LoweredUnit &unit : lowered->units) {
    line += " && " RELAYOUT_HOST_COMPILER
            " -std=c++17 -O1 -ffp-contract=off -w -isystem " RELAYOUT_CUDA_HEADERS
            " -idirafter " RELAYOUT_CCCL;
    for (const std::string &flag : unit.flags)
      line += " " + flag;
    line += " -x c++ -c " + unit.file + " -o " + unit.file + ".o";
    objects += " " + unit.file + ".o";
  }
  const Ran built = shell(line + " && " RELAYOUT_HOST_COMPILER + objects + " -o " +
                          (folder / "program").string() + " " RELAYOUT_LOWERED_LINK);
  EXPECT_EQ(built.code, 0) << built.output;
  const std::string trace = (folder / "trace").string();
  const Ran ran = shell("RELAYOUT_WORKERS=1 RELAYOUT_TRACE=" + trace + " " +
                        (folder / "program").string() + " " + arguments);
  run.code = ran.code;
  run.output = ran.output;
  const auto read = trace::readTrace(trace);
  if (!read) {
    ADD_FAILURE() << render(toDiagnostic(read.error())) << ran.output;
    return run;
  }
  for (const trace::CopyDigest &copy : read->copies) {
    run.copies.push_back(std::to_string(copy.bytes) + " " + copy.digest);
    run.copiedBytes += copy.bytes;
  }
  return run;
}

} // namespace relayout::rewriter::test
