// SPDX-License-Identifier: Apache-2.0
// From a trace to a plan, by policy or by a layout asked for by name.
#include "stages/decide.h"

#include "processes/files.h"
#include "processes/install_paths.h"
#include "reports/option_checks.h"

#include "relayout/analysis/plan/uniform_plan.h"
#include "relayout/analysis/report/nakai_plan.h"
#include "relayout/analysis/report/replay_plan.h"

#include <fmt/format.h>

#include <chrono>
#include <functional>

namespace relayout::tool {

void addDecideOptions(CLI::App &parser, DecideOptions &options) {
  CLI::Option *policy =
      parser
          .add_option("--policy", options.policy,
                      "How to decide: replay (predicted times), or nakai (Nakai & Ohno 2017)")
          ->check(CLI::IsMember({"nakai", "replay"}))
          ->capture_default_str();
  parser
      .add_option("--layout", options.layout,
                  "No decision: this layout for every array of records (" +
                      analysis::fixedLayoutNames() + ")")
      ->excludes(policy);
  parser.add_option("--machine", options.machine,
                    "GPU that policy replay predicts for: a machine file, or one of " +
                        machineNames() + " [h100]");
  parser
      .add_option("--scale", options.scale,
                  "Extrapolate to N times the elements and blocks of the traced run "
                  "[a CPU's trace: until arrays exceed L2; a GPU's: 1]")
      ->check(positiveNumber());
  parser
      .add_option("--repeat", options.repeat,
                  "Extrapolate to N times the launches [a CPU's trace: 100 of the "
                  "busiest kernel; a GPU's: 1]")
      ->check(positiveNumber());
  parser.add_flag("--all", options.allRows, "Show every site, not only the heaviest");
}

Result<analysis::Machine> machineOf(const DecideOptions &options) {
  auto file = findMachineFile(options.machine.empty() ? "h100" : options.machine);
  if (!file)
    return tl::unexpected(file.error());
  auto text = readFile(*file);
  if (!text)
    return tl::unexpected(text.error());
  auto machine = inFile(analysis::machineFromJson(*text), *file);
  if (machine && !options.machineIsFor.empty()) {
    machine->name = fmt::format("{} (as {})", options.machineIsFor, machine->name);
    machine->isCalibrated = false;
  }
  return machine;
}

namespace {

/// Says how far a search is, once it takes more than a second.
class SearchProgress {
public:
  explicit SearchProgress(const SearchSink &sink) : sink_(sink) {}

  void operator()(const std::string &record, std::uint64_t candidates) {
    const auto now = std::chrono::steady_clock::now();
    if (now - told_ < std::chrono::seconds(1))
      return;
    told_ = now;
    sink_(fmt::format("layouts of '{}': {} tried", record, candidates));
  }

private:
  const SearchSink &sink_;
  std::chrono::steady_clock::time_point told_ = std::chrono::steady_clock::now();
};

/// The choice; every group's fastest layout, within the model's error or not; the next best of all
/// groups; and layouts that need no model.
Result<std::vector<std::pair<std::string, analysis::Plan>>>
alternativesTo(const analysis::Plan &plan, const trace::SiteTable &sites,
               const analysis::ReplayAnalysis *replay) {
  std::vector<std::pair<std::string, analysis::Plan>> alternatives = {{"choice", plan}};
  if (replay != nullptr) {
    analysis::Plan best = plan;
    analysis::Plan next = plan;
    for (std::size_t g = 0; g < replay->groups.size(); ++g) {
      const analysis::GroupReplay &group = replay->groups[g];
      if (group.candidates.empty())
        continue;
      best.decisions[g].keep = false;
      best.decisions[g].layout = group.best.layout;
      next.decisions[g].keep = group.runnerUp.isSource;
      if (!group.runnerUp.isSource)
        next.decisions[g].layout = group.runnerUp.layout;
    }
    alternatives.emplace_back("fastest", std::move(best));
    alternatives.emplace_back("runner-up", std::move(next));
  }
  for (const char *name : {"soa", "exploded-soa", "aligned-aos"}) {
    auto fixed = analysis::fixedPlan(sites, name);
    if (!fixed)
      return tl::unexpected(fixed.error());
    alternatives.emplace_back(name, std::move(*fixed));
  }
  return alternatives;
}

Result<Decided> decideByReplay(const trace::TraceHandle &trace, const DecideOptions &options,
                               const SearchSink &search) {
  const auto machine = machineOf(options);
  if (!machine)
    return tl::unexpected(machine.error());
  analysis::ReplayOptions replaying;
  replaying.scale = {options.scale, options.repeat};
  replaying.wholeArrays = options.wholeArrays;
  replaying.otherRun = options.otherRun;
  replaying.compiled = options.compiled;
  SearchProgress progress(search);
  replaying.progress = std::ref(progress);
  auto analysis = analysis::analyzeReplay(trace, *machine, replaying);
  if (!analysis)
    return tl::unexpected(analysis.error());
  analysis::Plan plan = analysis::planOf(*analysis);
  auto alternatives = alternativesTo(plan, trace->sites, &*analysis);
  if (!alternatives)
    return tl::unexpected(alternatives.error());
  return Decided{std::move(plan), std::move(*analysis), {}, std::move(*alternatives), {}};
}

Result<Decided> decideByNakai(const trace::TraceHandle &trace) {
  auto analysis = analysis::analyzeNakai(trace);
  if (!analysis)
    return tl::unexpected(analysis.error());
  analysis::Plan plan = analysis::planOf(*analysis);
  auto alternatives = alternativesTo(plan, trace->sites, nullptr);
  if (!alternatives)
    return tl::unexpected(alternatives.error());
  return Decided{std::move(plan), std::move(*analysis), {}, std::move(*alternatives), {}};
}

} // namespace

void printSearch(const std::string &how) { fmt::print(stderr, "  {}\n", how); }

Result<void> checkDecideOptions(const DecideOptions &options) {
  if (!options.layout.empty())
    if (const auto layout = analysis::layoutByName(options.layout, {}); !layout)
      return tl::unexpected(layout.error());
  if (options.policy != "replay") {
    if (!options.machine.empty() || options.scale || options.repeat)
      return fail(Code::InvalidCommandLine,
                  fmt::format("--machine, --scale and --repeat are of policy replay, "
                              "which predicts times; got them beside --policy {}",
                              options.policy));
    return {};
  }
  const auto machine = machineOf(options);
  return machine ? Result<void>() : tl::unexpected(machine.error());
}

const trace::TraceHandle &Decided::trace() const {
  return std::visit([](const auto &of) -> const trace::TraceHandle & { return of.trace; },
                    analysis);
}

Result<Decided> decide(const trace::TraceHandle &trace, const DecideOptions &options,
                       const SearchSink &search) {
  if (options.otherRun && (trace->machine.kind == "gpu" || options.policy != "replay"))
    return fail(Code::InvalidCommandLine,
                fmt::format("--scale-with is for traces of the CPU, which policy replay "
                            "extrapolates; got one of the {} and policy {}",
                            trace->machine.kind, options.policy));
  auto decided =
      options.policy == "replay" ? decideByReplay(trace, options, search) : decideByNakai(trace);
  if (!decided)
    return decided;
  decided->allRows = options.allRows;
  if (options.layout.empty())
    return decided;
  auto plan = analysis::fixedPlan(trace->sites, options.layout);
  if (!plan)
    return tl::unexpected(plan.error());
  decided->plan = std::move(*plan);
  decided->askedLayout = options.layout;
  decided->alternatives = {{options.layout, decided->plan}};
  return decided;
}

} // namespace relayout::tool
