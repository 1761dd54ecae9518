// SPDX-License-Identifier: Apache-2.0
// Prints what the cost model predicts for every kernel of a trace file when all its records have
// one layout, or those of a plan, as JSON, one launch of the traced size:
//   layout_volumes MACHINE.json TRACE [PLAN.json…]
#include "relayout/analysis/plan/plan.h"
#include "relayout/analysis/plan/uniform_plan.h"
#include "relayout/analysis/replay/cost/evaluation.h"
#include "relayout/trace/reader.h"

#include <nlohmann/json.hpp>

#include <array>
#include <fstream>
#include <iostream>
#include <optional>
#include <set>
#include <sstream>

using namespace relayout;
using namespace relayout::analysis;

namespace {

Layout layoutNamed(const std::string &name, const std::vector<LayoutField> &fields) {
  if (name == "aligned-aos")
    return alignedAos(fields, 16);
  return name == "soa" ? soa(fields) : name == "aosoa-32" ? aosoa(fields, 32) : explodedSoa(fields);
}

/// The layout of each group, none if it is not rewritten.
/// \param name  of a layout, or of a file with a plan of the traced program
Result<std::vector<std::optional<Layout>>> layoutsOf(const std::string &name,
                                                     const trace::Trace &trace) {
  std::vector<std::optional<Layout>> layouts(trace.sites.groups.size());
  if (name.ends_with(".json")) {
    std::ifstream file(name);
    std::stringstream text;
    text << file.rdbuf();
    const Result<Plan> plan = planFromJson(text.str());
    if (!plan)
      return tl::unexpected(plan.error());
    if (plan->decisions.size() != layouts.size())
      return fail(Code::PlanOfOtherProgram, "it is of another program");
    for (std::size_t g = 0; g < layouts.size(); ++g)
      if (!plan->decisions[g].keep)
        layouts[g] = plan->decisions[g].layout;
  } else if (name != "aos") {
    for (std::size_t g = 0; g < layouts.size(); ++g)
      layouts[g] =
          layoutNamed(name, layoutFields(trace.sites.records[trace.sites.groups[g].record]));
  }
  return layouts;
}

/// How many different grids the kernel was launched with.
std::size_t sizesOf(const trace::Trace &trace, trace::Index kernel) {
  std::set<std::array<std::uint32_t, 3>> sizes;
  for (const trace::Launch &launch : trace.launches)
    if (launch.kernel == kernel)
      sizes.insert(launch.grid);
  return sizes.size();
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    std::cerr << "usage: layout_volumes MACHINE.json TRACE [PLAN.json…]\n";
    return 2;
  }
  std::ifstream file(argv[1]);
  std::stringstream text;
  text << file.rdbuf();
  const Result<Machine> machine = machineFromJson(text.str());
  const Result<trace::Trace> trace = trace::readTrace(argv[2]);
  if (!machine || !trace) {
    std::cerr << (machine ? trace.error().text : machine.error().text) << "\n";
    return 1;
  }
  const std::string path = argv[2];
  const Result<ReplaySample> sample = collectSample(
      *trace, [&path](const auto &callback) { return trace::forEachAccess(path, callback); },
      *machine, {});
  if (!sample) {
    std::cerr << sample.error().text << "\n";
    return 1;
  }
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  std::vector<std::string> names{"aos", "aligned-aos", "soa", "aosoa-32", "exploded-soa"};
  names.insert(names.end(), argv + 3, argv + argc);
  for (const std::string &name : names) {
    const Result<std::vector<std::optional<Layout>>> ofGroups = layoutsOf(name, *trace);
    if (!ofGroups) {
      std::cerr << name << ": " << ofGroups.error().text << "\n";
      return 1;
    }
    std::vector<const Layout *> layouts;
    for (const std::optional<Layout> &layout : *ofGroups)
      layouts.push_back(layout ? &*layout : nullptr);
    for (const KernelSample &kernel : sample->kernels) {
      const Result<KernelEvaluation> evaluation =
          evaluateKernel(*trace, *sample, kernel, layouts, *machine);
      if (!evaluation) {
        std::cerr << evaluation.error().text << "\n";
        return 1;
      }
      const double launches = kernel.scale.launches;
      const KernelVolume &volume = evaluation->volume;
      const KernelTime &time = evaluation->time;
      rows.push_back({{"kernel", trace->kernels[kernel.kernel]},
                      {"layout", name},
                      {"launches", launches},
                      {"sizes", sizesOf(*trace, kernel.kernel)},
                      {"blocks", kernel.scale.blocksPerLaunch},
                      {"memory_instructions", volume.memoryInstructions / launches},
                      {"instructions", volume.instructions / launches},
                      {"wavefronts", volume.wavefronts / launches},
                      {"l1_read_sectors", volume.readSectors / launches},
                      {"l1_hits", volume.readHits / launches},
                      {"l1_write_sectors", volume.writeSectors / launches},
                      {"l2_read_sectors", volume.l2ReadSectors() / launches},
                      {"l2_write_sectors", volume.l2WriteSectors / launches},
                      {"dram_read_bytes", volume.dramReadBytes / launches},
                      {"dram_write_bytes", volume.dramWriteBytes / launches},
                      {"issue_us", time.issueNs / launches * 1e-3},
                      {"l1_us", time.l1Ns / launches * 1e-3},
                      {"l2_read_us", time.l2ReadNs / launches * 1e-3},
                      {"l2_write_us", time.l2WriteNs / launches * 1e-3},
                      {"dram_us", time.dramNs / launches * 1e-3},
                      {"start_us", time.startNs / launches * 1e-3},
                      {"latency_us", time.latencyNs / launches * 1e-3},
                      {"total_us", time.totalNs / launches * 1e-3}});
    }
  }
  std::cout << rows.dump(1) << "\n";
  return 0;
}
