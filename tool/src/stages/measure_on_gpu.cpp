// SPDX-License-Identifier: Apache-2.0
// Builds versions of a program with nvcc and times their kernels with CUPTI.
#include "stages/measure_on_gpu.h"

#include "processes/files.h"
#include "processes/nvcc.h"
#include "processes/process.h"
#include "reports/option_checks.h"
#include "stages/stages.h"

#include "relayout/base/run_parallel.h"
#include "relayout/rewriter/rewrite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>

namespace relayout::tool {
namespace {

namespace fs = std::filesystem;

bool succeeds(const std::vector<std::string> &command, const std::string &log) {
  const Result<ProcessResult> result = runProcess({command, {}, log});
  return result && result->succeeded();
}

/// Builds and runs versions of one program, each with the shared CUDA runtime, through which its
/// copies can be seen.
class GpuRuns {
public:
  GpuRuns(std::vector<std::string> arguments, std::string folder, const std::string &libraries)
      : arguments_(std::move(arguments)), folder_(std::move(folder)),
        copies_(fs::absolute(libraries + "/librelayout_copies.so").string()),
        counters_(fs::absolute(libraries + "/librelayout_counters.so").string()) {}

  /// \error RL-G04 this machine cannot
  [[nodiscard]] Result<void> prepare() {
    const std::string log = folder_ + "/gpu.txt";
    nvcc_ = findNvcc().value_or("");
    if (nvcc_.empty())
      return fail(Code::NotMeasured,
                  "there is no nvcc in PATH, nor below CUDA_HOME or /usr/local/cuda");
    if (!succeeds({"nvidia-smi", "-L"}, log))
      return fail(Code::NotMeasured, "there is no NVIDIA GPU, or its driver does not answer");
    for (const std::string &library : {copies_, counters_})
      if (!fs::exists(library))
        return fail(Code::NotMeasured,
                    fmt::format("'{}' is missing: relayout was built without CUDA or "
                                "without CUPTI",
                                library));
    return {};
  }

  /// Compiles all of them side by side; one that fails says so when it is to run.
  void build(const std::vector<Contender> &contenders) {
    std::mutex mutex;
    runParallel(contenders.size(), 0, [&](std::size_t i) {
      const std::string base = baseOf(contenders[i]);
      fs::create_directories(base);
      const auto built = buildWithNvcc(
          nvcc_, {{}, contenders[i].sources, base + "/program", /*sharedRuntime=*/true});
      if (built)
        return;
      const std::scoped_lock lock(mutex);
      failures_.emplace(contenders[i].name, built.error());
    });
  }

  [[nodiscard]] Result<TimedRun> operator()(const Contender &contender) const {
    if (const auto failure = failures_.find(contender.name); failure != failures_.end())
      return tl::unexpected(failure->second);
    const std::string base = baseOf(contender);
    ProcessRequest request;
    request.command = {base + "/program"};
    request.command.insert(request.command.end(), arguments_.begin(), arguments_.end());
    request.environment = {{"LD_PRELOAD", copies_},
                           {"RELAYOUT_COPIES", base + "/copies.txt"},
                           {"CUDA_INJECTION64_PATH", counters_},
                           {"RELAYOUT_COUNTERS", base + "/times.json"},
                           {"RELAYOUT_COUNTERS_MODE", "times"},
                           {"RELAYOUT_TRACE", ""}};
    request.outputFile = base + "/output.txt";
    request.input = Input::Ours;
    std::error_code ignored;
    fs::remove(base + "/times.json", ignored);
    fs::remove(base + "/copies.txt", ignored);
    auto run = runProcess(request);
    if (!run)
      return tl::unexpected(run.error());
    if (!run->succeeded())
      return fail(Code::NotMeasured, fmt::format("its run {}; '{}' has its output", run->describe(),
                                                 request.outputFile));
    return read(base);
  }

private:
  [[nodiscard]] std::string baseOf(const Contender &contender) const {
    return fs::absolute(folder_ + "/" + contender.name).string();
  }

  [[nodiscard]] static Result<TimedRun> read(const std::string &base) {
    TimedRun timed;
    if (auto copies = readFile(base + "/copies.txt"))
      timed.copies = *copies;
    auto times = readFile(base + "/times.json");
    if (!times)
      return fail(Code::NotMeasured, "its run reported no kernel times");
    const auto json = nlohmann::json::parse(*times, nullptr, false);
    if (!json.is_object() || !json.contains("kernel_times") || json["kernel_times"].empty())
      return fail(Code::NotMeasured, fmt::format("its run reported no kernel times; '{}' says why",
                                                 base + "/times.json"));
    for (const auto &kernel : json["kernel_times"])
      timed.kernelMs += kernel.value("all_ns", 0.0) * 1e-6;
    return timed;
  }

  std::vector<std::string> arguments_;
  std::string folder_;
  std::string copies_;
  std::string counters_;
  std::string nvcc_;
  std::map<std::string, Error> failures_; ///< of builds, by contender
};

/// Words of one nvcc command for all units.
std::vector<std::string> wordsFor(const instrument::Program &program) {
  std::vector<std::string> all = program.units.front().flags;
  for (const instrument::CompileCommand &unit : program.units)
    all.push_back(unit.file);
  return all;
}

/// What a plan makes of each group of the program; a null plan: nothing.
std::vector<std::string> layoutNames(const analysis::Plan *plan, const trace::SiteTable &sites) {
  std::vector<std::string> names;
  for (trace::Index g = 0; g < sites.groups.size(); ++g) {
    const bool keeps = plan == nullptr || plan->decisions[g].keep;
    names.push_back(
        keeps ? "original"
              : analysis::describe(plan->decisions[g].layout,
                                   analysis::layoutFields(sites.records[sites.groups[g].record])));
  }
  return names;
}

} // namespace

void addMeasureOptions(CLI::App &parser, MeasureOptions &options) {
  CLI::Option *measure = parser.add_flag(
      "--measure", options.wanted,
      "Build and time the best few layouts on this machine's GPU, and keep the fastest");
  parser.add_option("--measure-runs", options.runs, "Timed runs of each layout")
      ->needs(measure)
      ->check(positiveNumber())
      ->capture_default_str();
}

Result<void> decideByMeasure(const instrument::Program &program,
                             const std::vector<std::string> &programArguments,
                             const MeasureOptions &options, const std::string &folder,
                             const std::string &libraries, Decided &decided) {
  for (const instrument::CompileCommand &unit : program.units)
    if (unit.flags != program.units.front().flags)
      return fail(Code::NotMeasured, "its units are compiled with different flags");
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  fs::create_directories(folder);
  std::vector<Contender> contenders = {{"original", wordsFor(program)}};
  std::vector<const analysis::Plan *> plans = {nullptr};
  std::vector<std::string> texts; // of the versions so far
  MeasuredVersions measured{{}, options.runs, {}, {}};
  for (const auto &[name, plan] : decided.alternatives) {
    auto rewrite = rewriter::rewritePartially(program, plan);
    if (!rewrite)
      return tl::unexpected(rewrite.error());
    const std::string diff = instrument::unifiedDiff(rewrite->sources);
    if (rewrite->refused())
      measured.refused.push_back(name);
    if (rewrite->refused() || diff.empty() || std::ranges::find(texts, diff) != texts.end())
      continue;
    texts.push_back(diff);
    if (auto written = instrument::writeSources(rewrite->sources, folder + "/" + name); !written)
      return tl::unexpected(written.error());
    contenders.push_back(
        {name, wordsFor(inFolder(program, rewrite->sources, folder + "/" + name))});
    plans.push_back(&plan);
  }
  GpuRuns runs(programArguments, folder, libraries);
  if (auto prepared = runs.prepare(); !prepared)
    return prepared;
  runs.build(contenders);
  const auto choice = chooseByMeasure(contenders, options.runs, runs);
  if (!choice)
    return tl::unexpected(choice.error());
  const double before = choice->contenders.front().medianMs;
  const double after = choice->contenders[choice->best].medianMs;
  if (choice->best != 0)
    decided.plan = *plans[choice->best];
  for (analysis::Decision &decision : decided.plan.decisions) {
    if (choice->best == 0)
      decision.keep = true;
    decision.reason = fmt::format("measured {:.4f} ms instead of {:.4f} ms ({}); {}", after, before,
                                  choice->contenders[choice->best].name, decision.reason);
  }
  for (const analysis::Plan *plan : plans)
    measured.layouts.push_back(layoutNames(plan, decided.trace()->sites));
  measured.choice = *choice;
  decided.measured = std::move(measured);
  return {};
}

} // namespace relayout::tool
