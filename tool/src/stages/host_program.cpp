// SPDX-License-Identifier: Apache-2.0
// A lowered program on disk: its sources, how to build it for the CPU, and how to run it.
#include "stages/host_program.h"

#include "processes/files.h"
#include "processes/process.h"
#include "processes/run_progress.h"
#include "processes/work_folder.h"
#include "reports/console.h"
#include "stages/build_failures.h"
#include "stages/last_output.h"

#include "relayout/base/program_clock.h"
#include "relayout/trace/trace_handle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <ctime>
#include <filesystem>

namespace relayout::tool {

namespace fs = std::filesystem;

namespace {

constexpr int kVersion = 2;

/// A program that waits for what a block that is left out would write never ends.
constexpr std::chrono::seconds kSparseLimit{300};

/// What the executor said of the program before it ended it.
std::string whyItEnded(const std::string &outputFile) {
  constexpr std::string_view kOurs = "relayout: error: ";
  const auto output = outputFile.empty() ? Result<std::string>() : readFile(outputFile);
  const std::size_t found = output ? output->find(kOurs) : std::string::npos;
  if (found == std::string::npos)
    return {};
  const std::size_t from = found + kOurs.size();
  return ": " + output->substr(from, output->find('\n', from) - from);
}

bool wasCutShort(const std::string &traceFile) {
  const auto trace = trace::TraceHandle::open(traceFile);
  return trace && (*trace)->complete && isCutShort(**trace);
}

/// Whether a program came to an end of its own, having done something.
bool hasEnded(const ProcessResult &result, const std::string &traceFile) {
  if (result.signal != 0 || result.exceeded.count() != 0)
    return false;
  const auto trace = trace::TraceHandle::open(traceFile);
  return trace && (*trace)->complete && (*trace)->launchesExecuted != 0;
}

} // namespace

std::string HostProgram::sources() const {
  std::vector<std::string> files;
  for (const instrument::LoweredUnit &unit : units)
    if (!unit.source.empty())
      files.push_back(unit.source);
  return instrument::shortList(files);
}

Result<HostProgram> writeHostProgram(const instrument::LoweredProgram &lowered,
                                     const std::string &folder, const std::string &objects) {
  if (auto written = instrument::writeSources(lowered.sources, folder); !written)
    return tl::unexpected(written.error());
  HostProgram program{folder, objects, lowered.units, lowered.linkFlags};
  nlohmann::ordered_json units = nlohmann::ordered_json::array();
  for (const instrument::LoweredUnit &unit : program.units)
    units.push_back({{"source", unit.source}, {"file", unit.file}, {"flags", unit.flags}});
  const nlohmann::ordered_json json = {{"format", "relayout-program"},
                                       {"version", kVersion},
                                       {"objects", fs::absolute(objects).string()},
                                       {"units", std::move(units)},
                                       {"link_flags", program.linkFlags}};
  if (auto written = writeFile(folder + "/program.json", json.dump(2) + "\n"); !written)
    return tl::unexpected(written.error());
  return program;
}

Result<HostProgram> readHostProgram(const std::string &folder) {
  const std::string path = folder + "/program.json";
  auto text = readFile(path);
  if (!text)
    return fail(Code::FileUnreadable, text.error().text, {},
                {{{}, "'relayout instrument FILE.cu -o FOLDER' writes the folder to name here"}});
  const nlohmann::json json = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  HostProgram program;
  program.folder = folder;
  try {
    if (json.at("format") != "relayout-program" || json.at("version") != kVersion)
      throw nlohmann::json::other_error::create(0, "", nullptr);
    json.at("objects").get_to(program.objects);
    json.at("link_flags").get_to(program.linkFlags);
    for (const nlohmann::json &row : json.at("units")) {
      instrument::LoweredUnit &unit = program.units.emplace_back();
      row.at("source").get_to(unit.source);
      row.at("file").get_to(unit.file);
      row.at("flags").get_to(unit.flags);
    }
  } catch (const nlohmann::json::exception &) {
    return fail(Code::OtherFileVersion,
                fmt::format("'{}' was not written by this version of 'relayout "
                            "instrument'",
                            path));
  }
  return program;
}

bool isCutShort(const trace::Trace &trace) {
  return trace.machine.kind == trace::kSparseCpu || trace.machine.kind == trace::kEndedCpu;
}

std::string startTime() {
  static const std::string kNow = std::to_string(std::time(nullptr));
  return kNow;
}

std::map<std::string, std::string> traceEnvironment(const std::string &traceFile,
                                                    const TraceOptions &options) {
  std::map<std::string, std::string> variables = {
      {"RELAYOUT_TRACE", fs::absolute(traceFile).string()}, {"RELAYOUT_TRACE_MODE", options.mode}};
  if (options.sampleBlocks != 0)
    variables["RELAYOUT_SAMPLE_BLOCKS"] = std::to_string(options.sampleBlocks);
  if (options.maxBytes != 0)
    variables["RELAYOUT_MAX_BYTES"] = std::to_string(options.maxBytes);
  return variables;
}

Result<int> runHostProgram(const HostProgram &program, const std::vector<std::string> &arguments,
                           const std::string &traceFile, const TraceOptions &options,
                           const std::string &outputFile) {
  ProcessRequest request;
  request.command = {fs::absolute(program.folder + "/program").string()};
  request.command.insert(request.command.end(), arguments.begin(), arguments.end());
  request.outputFile = outputFile;
  request.input = Input::Ours;
  request.environment = traceEnvironment(traceFile, options);
  if (options.workers != 0)
    request.environment["RELAYOUT_WORKERS"] = std::to_string(options.workers);
  request.limit = options.limit;
  if (options.sparse || options.wholeFor.count() != 0)
    request.limit =
        options.limit.count() == 0 ? kSparseLimit : std::min(options.limit, kSparseLimit);
  if (options.sparse)
    request.environment["RELAYOUT_SPARSE"] = "1";
  request.environment["RELAYOUT_END_AT_CRASH"] = "1";
  if (!options.sparseKernels.empty())
    request.environment["RELAYOUT_SPARSE_KERNELS"] =
        fmt::format("{}", fmt::join(options.sparseKernels, "\n"));
  if (options.wholeFor.count() != 0) {
    request.environment["RELAYOUT_SPARSE_AFTER"] = std::to_string(options.wholeFor.count());
    request.environment["RELAYOUT_END_AFTER"] = std::to_string(2 * options.wholeFor.count());
  }
  request.environment[kStartTimeVariable] = startTime();
  if (options.otherHeap)
    request.environment["MALLOC_PERTURB_"] = "165"; // glibc's; a byte that is no small number
  if (options.fillsFreed)
    request.environment["RELAYOUT_FILL_FREED"] = "1";
  if (!options.outOfBoundsFile.empty())
    request.environment["RELAYOUT_OUT_OF_BOUNDS"] = options.outOfBoundsFile;
  request.folder = workFolder();
  const ProgressFile progress(request.environment["RELAYOUT_TRACE"] + ".progress");
  request.environment[kProgressVariable] = progress.path();
  const ProgressSource source([&progress] { return progress.describe(); });
  auto result = runProcess(request);
  if (!result)
    return tl::unexpected(result.error());
  if (result->succeeded() || (options.wholeFor.count() != 0 && wasCutShort(traceFile)))
    return 0;
  if (!hasEnded(*result, traceFile))
    return fail(
        Code::ProgramFailed,
        fmt::format("the program from '{}' {} on the CPU{}{}{}", program.sources(),
                    result->describe(), whyItEnded(outputFile),
                    result->exceeded.count() != 0 ? "; give it arguments with which it ends sooner"
                    : arguments.empty() ? "; it was given no arguments: those behind '--' "
                                          "are the program's"
                                        : "",
                    outputFile.empty() ? std::string()
                                       : fmt::format("; its output is in '{}'", outputFile)),
        {}, lastOutput(outputFile));
  return result->exitCode;
}

std::string howItEnded(int exitCode) {
  constexpr int kBySignal = 128, kMost = 31;
  const int signal = exitCode - kBySignal;
  if (signal > 0 && signal <= kMost)
    return fmt::format("signal {} ({}) in host code", signal, ::strsignal(signal));
  return fmt::format("exit code {}", exitCode);
}

Diagnostic endedWith(int exitCode, const std::string &outputFile) {
  return {Severity::Warning,
          Code::EndedWithError,
          fmt::format("the program ended with {}; what it did until then is taken for what it is "
                      "to do",
                      howItEnded(exitCode)),
          {},
          lastOutput(outputFile)};
}

} // namespace relayout::tool
