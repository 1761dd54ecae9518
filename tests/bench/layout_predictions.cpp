// SPDX-License-Identifier: Apache-2.0
// Prints what the cost model predicts for every case of tests/gpu/layout_bench.cu, and which of its
// layouts policy replay takes, as JSON:
//   layout_predictions MACHINE.json
#include "../analysis/replay_cases.h"
#include "relayout/analysis/replay/cost/evaluation.h"
#include "relayout/analysis/replay/replay.h"

#include <nlohmann/json.hpp>

#include <exception>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>

using namespace relayout;
using namespace relayout::analysis;

namespace {

using NamedLayouts = std::vector<std::pair<std::string, Layout>>;

/// The name of the layout that is decided on among those that were measured.
/// \param layouts  the source's first
Result<std::string> choiceAmong(const LayoutCase &layoutCase, const NamedLayouts &layouts,
                                const Machine &machine) {
  trace::Trace trace = layoutCase.program.trace();
  trace.transfers.clear(); // nothing is converted
  CompiledFinalists measured;
  measured.earlier.resize(trace.sites.groups.size());
  for (const auto &[name, layout] : layouts) {
    const bool isSource = measured.versions.empty();
    measured.versions.push_back(
        {name, {isSource ? std::nullopt : std::optional(layout)}, CompiledKernels{}});
    Candidate candidate;
    candidate.layout = isSource ? Layout{} : layout;
    candidate.isSource = isSource;
    candidate.sizes = {SizeOutcome{}};
    measured.earlier.front().candidates.push_back(std::move(candidate));
  }
  ReplayOptions options;
  options.compiled = &measured;
  const Result<ReplayAnalysis> analysis =
      analyzeReplay({trace, layoutCase.program.source()}, machine, options);
  if (!analysis)
    return tl::unexpected(analysis.error());
  const Decision &decision = analysis->groups.front().decision;
  if (!decision.keep)
    for (const auto &[name, layout] : layouts)
      if (layout == decision.layout)
        return name;
  return layouts.front().first;
}

} // namespace

int main(int argc, char **argv) try {
  if (argc != 2) {
    std::cerr << "usage: layout_predictions MACHINE.json\n";
    return 2;
  }
  std::ifstream file(argv[1]);
  std::stringstream text;
  text << file.rdbuf();
  const Result<Machine> machine = machineFromJson(text.str());
  if (!machine) {
    std::cerr << machine.error().text << "\n";
    return 1;
  }
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const LayoutCase &layoutCase : layoutCases()) {
    const trace::Trace &trace = layoutCase.program.trace();
    const Result<ReplaySample> sample =
        collectSample(trace, layoutCase.program.source(), *machine, {});
    if (!sample) {
      std::cerr << sample.error().text << "\n";
      return 1;
    }
    const NamedLayouts layouts = benchLayouts(layoutFields(trace.sites.records[0]));
    const Result<std::string> choice = choiceAmong(layoutCase, layouts, *machine);
    if (!choice) {
      std::cerr << choice.error().text << "\n";
      return 1;
    }
    std::optional<Resource> sourceBound; // the first layout is the source's
    for (const auto &[name, layout] : layouts) {
      const Result<KernelEvaluation> evaluation =
          evaluateKernel(trace, *sample, sample->kernels[0], {&layout}, *machine);
      if (!evaluation) {
        std::cerr << evaluation.error().text << "\n";
        return 1;
      }
      const KernelVolume &volume = evaluation->volume;
      const KernelTime &time = evaluation->time;
      const Resource bound = bindingResource(time);
      sourceBound = sourceBound.value_or(bound);
      rows.push_back({{"pattern", layoutCase.pattern},
                      {"fields", layoutCase.fields},
                      {"layout", name},
                      {"memory_instructions", volume.memoryInstructions},
                      {"instructions", volume.instructions},
                      {"wavefronts", volume.wavefronts},
                      {"l1_read_sectors", volume.readSectors},
                      {"l1_hits", volume.readHits},
                      {"l1_write_sectors", volume.writeSectors},
                      {"l2_read_sectors", volume.l2ReadSectors()},
                      {"l2_write_sectors", volume.l2WriteSectors},
                      {"dram_read_bytes", volume.dramReadBytes},
                      // Of one launch, as counters see it.
                      {"dram_write_bytes", volume.dramWriteBytes - volume.leftInL2Bytes},
                      {"issue_ms", time.issueNs * 1e-6},
                      {"l1_ms", time.l1Ns * 1e-6},
                      {"l2_read_ms", time.l2ReadNs * 1e-6},
                      {"l2_write_ms", time.l2WriteNs * 1e-6},
                      {"dram_ms", time.dramNs * 1e-6},
                      {"start_ms", time.startNs * 1e-6},
                      {"latency_ms", time.latencyNs * 1e-6},
                      {"total_ms", time.totalNs * 1e-6},
                      {"bound_by", resourceName(bound)},
                      {"ratio_error", ratioError(*sourceBound, bound)},
                      {"chosen", name == *choice}});
    }
  }
  std::cout << rows.dump(1) << "\n";
  return 0;
} catch (const std::exception &error) {
  std::cerr << error.what() << "\n";
  return 1;
}
