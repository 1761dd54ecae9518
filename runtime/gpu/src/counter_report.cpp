// SPDX-License-Identifier: Apache-2.0
// Hardware truth: one run under counters as JSON, and its place in the report of a trace.
#include "relayout/gpu/counter_report.h"

#include "relayout/base/demangled.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <tuple>

namespace relayout::gpu {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kModes = {CounterMode::Times, CounterMode::Ranges, CounterMode::Graphs,
                               CounterMode::Lines};

std::uint64_t counterOf(const CountedInstruction &instruction, const char *metric) {
  const auto found = instruction.counters.find(metric);
  return found == instruction.counters.end() ? 0 : found->second;
}

std::string launchesOf(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " launch" : " launches");
}

/// "2 x move(Body*), chain(double*)"
std::string kernelsOf(const GraphContents &graph) {
  std::string text;
  for (const auto &[symbol, nodes] : graph.kernels)
    text += (text.empty() ? "" : ", ") + (nodes == 1 ? "" : std::to_string(nodes) + " x ") +
            demangled(symbol);
  return text.empty() ? "no kernels" : text;
}

std::string textOf(const Json &json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace

const char *counterModeName(CounterMode mode) {
  switch (mode) {
  case CounterMode::Times:
    return "times";
  case CounterMode::Ranges:
    return "ranges";
  case CounterMode::Graphs:
    return "graphs";
  case CounterMode::Lines:
    return "lines";
  }
  return "";
}

std::optional<CounterMode> counterModeNamed(std::string_view name) {
  for (const CounterMode mode : kModes)
    if (name == counterModeName(mode))
      return mode;
  return std::nullopt;
}

bool isCountedLaunch(std::uint64_t earlier) { return earlier < 4 || std::has_single_bit(earlier); }

void CounterReport::counted(const std::string &symbol,
                            const std::map<std::string, std::uint64_t> &counters) {
  Kernel &kernel = kernels_[symbol];
  ++kernel.counted;
  for (const auto &[metric, value] : counters)
    kernel.counters[metric] += value;
}

bool CounterReport::graphLaunched(const GraphContents &contents) {
  for (const auto &[symbol, nodes] : contents.kernels)
    kernels_[symbol].inGraphs += nodes;
  if (!graphs_.contains(contents.key) && graphs_.size() == kMostGraphs) {
    missing("graphs", "those after the first " + std::to_string(kMostGraphs) + " have no row");
    return false;
  }
  Graph &graph = graphs_[contents.key];
  graph.contents = contents;
  ++graph.launches;
  return !graph.isWhole;
}

void CounterReport::graphCounted(const GraphContents &contents, bool isWhole,
                                 const std::map<std::string, std::uint64_t> &counters) {
  Graph &graph = graphs_[contents.key];
  graph.isWhole |= isWhole;
  for (const auto &[metric, value] : counters)
    graph.counters[metric] = value;
}

void CounterReport::ran(const std::string &symbol, std::uint64_t elapsedNs, bool isInGraph) {
  Kernel &kernel = kernels_[symbol];
  ++kernel.timed;
  kernel.timedInGraphs += isInGraph ? 1 : 0;
  kernel.allNs += elapsedNs;
  kernel.leastNs = std::min(kernel.leastNs, elapsedNs);
  kernel.mostNs = std::max(kernel.mostNs, elapsedNs);
}

void CounterReport::executed(const std::vector<CountedInstruction> &instructions,
                             const FindLine &findLine) {
  std::map<std::tuple<std::uint32_t, std::string, std::uint32_t>, CountedInstruction> joined;
  for (const CountedInstruction &row : instructions) {
    kernels_[row.function].isPatched = true;
    const auto [at, isNew] = joined.try_emplace({row.cubin, row.function, row.offset}, row);
    if (!isNew)
      for (const auto &[metric, value] : row.counters)
        at->second.counters[metric] += value;
  }
  std::map<Line, std::map<std::string, std::uint64_t>> places;
  for (const auto &[at, instruction] : joined) {
    const std::uint64_t reads = counterOf(instruction, kLoads);
    const std::uint64_t writes = counterOf(instruction, kStores);
    const std::uint64_t atomics =
        counterOf(instruction, kAtomics) + counterOf(instruction, kReductions);
    if (reads + writes + atomics == 0)
      continue;
    const std::optional<LinePlace> place = findLine(instruction);
    const char *const kind = reads != 0 ? "read" : writes != 0 ? "write" : "atomic";
    const Line line{place ? place->file : "", place ? place->line : 0, instruction.function};
    Kind &sum = lines_[line][kind];
    sum.instructions += reads + writes + atomics;
    sum.threads += counterOf(instruction, kThreads);
    sum.sectors += counterOf(instruction, kSectors);
    // The same instructions in every context, though not each need run in every one.
    sum.places = std::max(sum.places, ++places[line][kind]);
  }
}

void CounterReport::missing(const std::string &part, const std::string &why) {
  if (std::ranges::find(missing_, std::pair{part, why}) == missing_.end())
    missing_.emplace_back(part, why);
}

std::vector<std::pair<std::string, std::string>> CounterReport::allMissing() const {
  auto all = missing_;
  for (const auto &[symbol, kernel] : kernels_) {
    const std::string name = demangled(symbol);
    if (kernel.inGraphs != 0 && mode_ == CounterMode::Ranges)
      all.emplace_back("kernel counters of " + name,
                       launchesOf(kernel.inGraphs) +
                           " in graphs, which CUPTI counts as a whole: see 'graphs'");
    if (mode_ == CounterMode::Lines && kernel.counted != 0 && !kernel.isPatched)
      all.emplace_back("source lines of " + name,
                       "CUPTI reported no access to global memory in it");
  }
  if (mode_ == CounterMode::Graphs && !graphs_.empty())
    all.emplace_back("operations of graphs", "CUPTI patches no code of graphs to count them");
  if (mode_ == CounterMode::Graphs)
    for (const auto &[key, graph] : graphs_) {
      if (!graph.isWhole)
        all.emplace_back("counters of a graph (" + kernelsOf(graph.contents) + ")",
                         launchesOf(graph.launches) +
                             " of it: each takes one pass of several, CUPTI replays no graph");
      if (!graph.contents.isAll)
        all.emplace_back("kernels of a graph (" + kernelsOf(graph.contents) + ")",
                         "it has conditional nodes or was changed after it was made: what it runs "
                         "is not known");
    }
  return all;
}

std::string CounterReport::toJson() const {
  Json report;
  report["mode"] = counterModeName(mode_);
  report["gpu"] = gpu_;
  report["cupti"] = cupti_;
  report["missing"] = Json::array();
  for (const auto &[part, why] : allMissing())
    report["missing"].push_back({{"part", part}, {"why", why}});
  if (mode_ == CounterMode::Times) {
    report["kernel_times"] = Json::array();
    for (const auto &[symbol, kernel] : kernels_)
      if (kernel.timed != 0)
        report["kernel_times"].push_back({{"kernel", demangled(symbol)},
                                          {"launch_calls", kernel.launches},
                                          {"launches", kernel.timed},
                                          {"launches_in_graphs", kernel.timedInGraphs},
                                          {"all_ns", kernel.allNs},
                                          {"least_ns", kernel.leastNs},
                                          {"most_ns", kernel.mostNs}});
  }
  if (mode_ == CounterMode::Ranges) {
    report["kernels"] = Json::array();
    for (const auto &[symbol, kernel] : kernels_)
      report["kernels"].push_back({{"kernel", demangled(symbol)},
                                   {"launches", kernel.launches},
                                   {"launches_in_graphs", kernel.inGraphs},
                                   {"counted_launches", kernel.counted},
                                   {"counters", kernel.counters}});
  }
  if (mode_ == CounterMode::Graphs) {
    report["graphs"] = Json::array();
    for (const auto &[key, graph] : graphs_) {
      Json kernels = Json::array();
      for (const auto &[symbol, nodes] : graph.contents.kernels)
        kernels.push_back({{"kernel", demangled(symbol)}, {"nodes", nodes}});
      report["graphs"].push_back({{"kernels", kernels},
                                  {"launches", graph.launches},
                                  {"counted_launches", graph.isWhole ? 1 : 0},
                                  {"counters", graph.counters}});
    }
  }
  if (mode_ == CounterMode::Lines) {
    report["lines"] = Json::array();
    for (const auto &[line, kinds] : lines_) {
      const Kernel &kernel = kernels_.at(line.kernel);
      for (const auto &[kind, sum] : kinds)
        report["lines"].push_back({{"file", line.file},
                                   {"line", line.line},
                                   {"kernel", demangled(line.kernel)},
                                   {"launches", kernel.launches + kernel.inGraphs},
                                   {"counted_launches", kernel.counted},
                                   {"kind", kind},
                                   {"machine_instructions", sum.places},
                                   {"warp_instructions", sum.instructions},
                                   {"thread_instructions", sum.threads},
                                   {"sectors", sum.sectors}});
    }
  }
  return textOf(report);
}

bool hasGraphs(const std::string &report) {
  const Json json = Json::parse(report, nullptr, false);
  return json.is_object() &&
         std::ranges::any_of(json.value("kernels", Json::array()), [](const Json &kernel) {
           return kernel.value("launches_in_graphs", std::uint64_t{0}) != 0;
         });
}

std::optional<std::string> mergeCounters(const std::string &report, const std::string &program,
                                         const std::vector<std::string> &runs) {
  Json merged = report.empty() ? Json::object() : Json::parse(report, nullptr, false);
  if (!merged.is_object())
    return std::nullopt;
  Json missing = merged.value("missing", Json::array());
  Json counters;
  counters["program"] = program;
  for (const std::string &text : runs) {
    const Json run = Json::parse(text, nullptr, false);
    if (!run.is_object())
      return std::nullopt;
    if (!run.value("gpu", "").empty())
      counters["gpu"] = run["gpu"];
    for (const char *part : {"kernel_times", "kernels", "graphs", "lines"})
      if (run.contains(part)) {
        Json &rows = counters[part];
        if (rows.is_null())
          rows = Json::array();
        for (const Json &row : run[part])
          rows.push_back(row);
      }
    for (const Json &entry : run.value("missing", Json::array()))
      if (std::ranges::find(missing, entry) == missing.end())
        missing.push_back(entry);
  }
  merged["missing"] = missing;
  merged["counters"] = counters;
  return textOf(merged);
}

} // namespace relayout::gpu
