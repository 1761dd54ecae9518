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

Outcome runOnCpu(const instrument::CompileCommand &command, const fs::path &folder,
                 const std::string &arguments) {
  Outcome run;
  const auto lowered = instrument::lowerForHost(command, instrument::Probes::None);
  if (!lowered) {
    ADD_FAILURE() << render(toDiagnostic(lowered.error()));
    return run;
  }
  EXPECT_TRUE(instrument::writeSources(lowered->sources, (folder / "lowered").string()));
  const std::string main = lowered->sources.files.front().relativePath;
  const Ran built =
      shell(std::string(RELAYOUT_HOST_COMPILER) +
            " -std=c++17 -O1 -ffp-contract=off -w -isystem " RELAYOUT_CUDA_HEADERS " -x c++ " +
            (folder / "lowered" / main).string() + " -x none -o " + (folder / "program").string() +
            " " RELAYOUT_LOWERED_LINK);
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
