// SPDX-License-Identifier: Apache-2.0
// Runs versions of a program on the GPU: kernel times by CUPTI, digests of copies to the host.
#include "stages/gpu_runs.h"

#include "processes/files.h"
#include "processes/process.h"
#include "processes/work_folder.h"
#include "stages/last_output.h"

#include "relayout/base/program_clock.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace relayout::tool {

namespace fs = std::filesystem;

namespace {

std::string copiesLibrary(const std::string &libraries) {
  return fs::absolute(libraries + "/librelayout_copies.so").string();
}

std::string timesLibrary(const std::string &libraries) {
  return fs::absolute(libraries + "/librelayout_counters.so").string();
}

/// All kernels of a run together.
Result<double> kernelMsIn(const std::string &file) {
  const auto text = readFile(file);
  const auto json = nlohmann::json::parse(text.value_or(""), nullptr, false);
  if (!json.is_object() || !json.contains("kernel_times") || json["kernel_times"].empty())
    return fail(Code::NotMeasured,
                text ? fmt::format("its run reported no kernel times; '{}' says why", file)
                     : "its run reported no kernel times");
  double ms = 0;
  for (const auto &kernel : json["kernel_times"])
    ms += kernel.value("all_ns", 0.0) * 1e-6;
  return ms;
}

Result<void> requireSuccess(const ProcessRequest &request, const std::string &what) {
  auto run = runProcess(request);
  if (!run)
    return tl::unexpected(run.error());
  if (!run->succeeded())
    return fail(Code::ProgramFailed,
                fmt::format("{} {}{}", what, run->describe(),
                            request.outputFile.empty()
                                ? std::string()
                                : fmt::format("; its output is in '{}'", request.outputFile)),
                {}, lastOutput(request.outputFile));
  return {};
}

} // namespace

Result<GpuMachine> findUsableGpu(const InstallPaths &paths) {
  auto machine = findGpuMachine();
  if (!machine)
    return machine;
  for (const std::string &library : {copiesLibrary(paths.libraries), timesLibrary(paths.libraries),
                                     paths.libraries + "/librelayout_hooks.a"})
    if (!fs::exists(library))
      return fail(Code::NoUsableGpu,
                  fmt::format("'{}' is missing: relayout was built without CUDA or without CUPTI",
                              library));
  return machine;
}

GpuRuns::GpuRuns(GpuRunSettings settings, std::map<std::string, Error> failures)
    : settings_(std::move(settings)), failures_(std::move(failures)) {}

std::string GpuRuns::programOf(const std::string &version) const {
  return fs::absolute(settings_.folder + "/" + version + "/program").string();
}

Result<void> GpuRuns::run(const std::string &version, bool isTimed) const {
  if (const auto failure = failures_.find(version); failure != failures_.end())
    return tl::unexpected(failure->second);
  const std::string program = programOf(version);
  ProcessRequest request{.command = {program},
                         .outputFile = program + ".output.txt",
                         .input = Input::Ours,
                         .folder = workFolder()};
  request.command.insert(request.command.end(), settings_.arguments.begin(),
                         settings_.arguments.end());
  request.environment = {{"LD_PRELOAD", copiesLibrary(settings_.libraries)},
                         {"RELAYOUT_COPIES", program + ".copies.txt"},
                         {kStartTimeVariable, startTime()},
                         {"RELAYOUT_COPY_PADDING", padding_},
                         {"RELAYOUT_TRACE", ""}};
  if (isTimed)
    request.environment.insert({{"CUDA_INJECTION64_PATH", timesLibrary(settings_.libraries)},
                                {"RELAYOUT_COUNTERS", program + ".times.json"},
                                {"RELAYOUT_COUNTERS_MODE", "times"}});
  std::error_code ignored;
  fs::remove(program + ".times.json", ignored);
  fs::remove(program + ".copies.txt", ignored);
  return requireSuccess(request, fmt::format("the run of '{}'", version));
}

Result<TimedRun> GpuRuns::operator()(const std::string &version) const {
  if (auto ended = run(version, true); !ended)
    return tl::unexpected(ended.error());
  const std::string program = programOf(version);
  const auto ms = kernelMsIn(program + ".times.json");
  if (!ms)
    return tl::unexpected(ms.error());
  return TimedRun{*ms, copiesFrom(readFile(program + ".copies.txt").value_or(""))};
}

Result<void> GpuRuns::takePaddingFrom(const std::string &version) {
  if (auto ended = run(version, false); !ended)
    return ended;
  padding_ = programOf(version) + ".copies.txt";
  return {};
}

Result<Copies> GpuRuns::copiesOf(const std::string &version) const {
  if (auto ended = run(version, false); !ended)
    return tl::unexpected(ended.error());
  return copiesFrom(readFile(programOf(version) + ".copies.txt").value_or(""));
}

Result<void> runProbed(const std::vector<std::string> &command, const std::string &traceFile,
                       const TraceOptions &options, const std::string &outputFile) {
  return requireSuccess({.command = command,
                         .environment = traceEnvironment(traceFile, options),
                         .outputFile = outputFile,
                         .input = Input::Ours,
                         .folder = workFolder()},
                        "the program");
}

} // namespace relayout::tool
