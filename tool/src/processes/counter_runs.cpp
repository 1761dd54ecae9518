// SPDX-License-Identifier: Apache-2.0
// Runs a program under hardware counters, once for each kind of them.
#include "processes/counter_runs.h"
#include "processes/files.h"
#include "processes/install_paths.h"
#include "processes/process.h"
#include "processes/temporary_folder.h"

#include "relayout/gpu/line_instructions.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace relayout::tool {
namespace {

namespace fs = std::filesystem;

const char *partOf(gpu::CounterMode mode) {
  switch (mode) {
  case gpu::CounterMode::Times:
    return "kernel times";
  case gpu::CounterMode::Ranges:
    return "kernel counters";
  case gpu::CounterMode::Graphs:
    return "graphs";
  case gpu::CounterMode::Lines:
    return "source lines";
  }
  return "";
}

/// What a program said last, for a reason; empty where it said nothing.
std::string lastLine(const std::string &log) {
  std::string text = readFile(log).value_or("");
  text.erase(text.find_last_not_of(" \n") + 1);
  const std::size_t begin = text.rfind('\n') + 1; // npos + 1 is 0
  return text.substr(std::max(begin, text.size() - std::min<std::size_t>(text.size(), 200)));
}

} // namespace

Result<CounterRun> runUnderCounters(const std::vector<std::string> &command, gpu::CounterMode mode,
                                    const std::string &libraries, const std::string &folder) {
  const std::string name = gpu::counterModeName(mode);
  const std::string library = libraries + "/librelayout_counters.so";
  CounterRun run;
  gpu::CounterReport nothing(mode);
  if (!fs::exists(library)) {
    nothing.missing(partOf(mode), "relayout was built without CUPTI");
    run.report = nothing.toJson();
    return run;
  }
  ProcessRequest request{
      .command = command, .outputFile = folder + "/" + name + ".log", .input = Input::Ours};
  const std::string file = folder + "/" + name + ".json";
  std::error_code ignored;
  fs::remove(file, ignored);
  request.environment = {{"CUDA_INJECTION64_PATH", library},
                         {"RELAYOUT_COUNTERS", file},
                         {"RELAYOUT_COUNTERS_MODE", name},
                         {"RELAYOUT_TRACE", ""}};
  auto ended = runProcess(request);
  if (!ended)
    return tl::unexpected(ended.error());
  if (fs::exists(file)) {
    auto text = readFile(file);
    if (!text)
      return tl::unexpected(text.error());
    return CounterRun{std::move(*text), ended->succeeded()};
  }
  std::string why = "the program did not use the GPU";
  if (!ended->succeeded()) {
    const std::string last = lastLine(request.outputFile);
    why = fmt::format("under counters the program {}{}{}", ended->describe(),
                      last.empty() ? "" : ": ", last);
  }
  nothing.missing(partOf(mode), why);
  run.report = nothing.toJson();
  return run;
}

Result<void> addCounters(const std::vector<std::string> &command, const std::string &reportFile) {
  auto paths = findInstallPaths();
  if (!paths)
    return tl::unexpected(paths.error());
  auto folder = TemporaryFolder::make();
  if (!folder)
    return tl::unexpected(folder.error());
  std::vector<std::string> reports;
  for (const gpu::CounterMode mode : {gpu::CounterMode::Times, gpu::CounterMode::Ranges,
                                      gpu::CounterMode::Graphs, gpu::CounterMode::Lines}) {
    if (mode == gpu::CounterMode::Graphs && !gpu::hasGraphs(reports.back()))
      continue;
    auto run = runUnderCounters(command, mode, paths->libraries, folder->file(""));
    if (!run)
      return tl::unexpected(run.error());
    reports.push_back(std::move(run->report));
  }
  std::string before;
  if (fs::exists(reportFile)) {
    auto text = readFile(reportFile);
    if (!text)
      return tl::unexpected(text.error());
    before = std::move(*text);
  }
  const auto merged = gpu::mergeCounters(before, command.front(), reports);
  if (!merged)
    return fail(Code::NotAGpuReport,
                fmt::format("'{}' is not the report of a traced run", reportFile));
  return writeFile(reportFile, *merged);
}

std::string describeLineCounters(const trace::Trace &trace, const std::string &traceFile) {
  const std::string file = trace::reportBeside(traceFile);
  if (!fs::exists(file))
    return {};
  const auto report = readFile(file);
  const auto lines = report ? gpu::compareLines(trace, *report) : std::nullopt;
  return lines ? gpu::describeLines(*lines, trace) : std::string();
}

Result<void> addSiteInstructions(const trace::Trace &trace, const std::string &traceFile) {
  const std::string file = trace::reportBeside(traceFile);
  const auto report = readFile(file);
  if (!report)
    return tl::unexpected(report.error());
  const auto lines = gpu::compareLines(trace, *report);
  if (!lines)
    return {};
  const auto more = gpu::addSiteInstructions(*report, *lines, trace);
  if (!more)
    return fail(Code::NotAGpuReport, fmt::format("'{}' is not the report of a traced run", file));
  return writeFile(file, *more);
}

} // namespace relayout::tool
