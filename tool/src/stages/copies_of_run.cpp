// SPDX-License-Identifier: Apache-2.0
// Runs a program and reads the digests that its runtime wrote.
#include "stages/copies_of_run.h"

#include "relayout/trace/reader.h"

namespace relayout::tool {

Result<CopiesOfRun> runForCopies(const HostProgram &program,
                                 const std::vector<std::string> &arguments, TraceOptions options,
                                 unsigned workers) {
  const std::string traceFile = program.folder + "/copies.rlt";
  options.mode = "counts";
  options.workers = workers;
  const auto started = std::chrono::steady_clock::now();
  const auto exitCode =
      runHostProgram(program, arguments, traceFile, options, program.folder + "/output.txt");
  const auto took =
      std::chrono::ceil<std::chrono::seconds>(std::chrono::steady_clock::now() - started);
  if (!exitCode)
    return tl::unexpected(exitCode.error());
  auto trace = trace::readTrace(traceFile);
  if (!trace)
    return tl::unexpected(trace.error());
  return CopiesOfRun{std::move(trace->copies), trace->machine.kind == trace::kEndedCpu, *exitCode,
                     took};
}

} // namespace relayout::tool
