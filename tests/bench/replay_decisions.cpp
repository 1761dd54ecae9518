// SPDX-License-Identifier: Apache-2.0
// Prints what policy replay decides for a trace file, and why:
//   replay_decisions MACHINE.json TRACE [PLAN.json]
// With a third file it writes the plan there, as 'relayout analyze' does.
#include "relayout/analysis/report/replay_plan.h"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <sstream>

using namespace relayout;
using namespace relayout::analysis;

int main(int argc, char **argv) {
  if (argc != 3 && argc != 4) {
    fmt::print(stderr, "usage: replay_decisions MACHINE.json TRACE [PLAN.json]\n");
    return 2;
  }
  std::ifstream file(argv[1]);
  std::stringstream text;
  text << file.rdbuf();
  const Result<Machine> machine = machineFromJson(text.str());
  if (!machine) {
    fmt::print(stderr, "{} [{}]\n", machine.error().text, codeName(machine.error().code));
    return 1;
  }
  const Result<trace::TraceHandle> trace = trace::TraceHandle::open(argv[2]);
  if (!trace) {
    fmt::print(stderr, "{} [{}]\n", trace.error().text, codeName(trace.error().code));
    return 1;
  }
  const auto begin = std::chrono::steady_clock::now();
  const Result<ReplayAnalysis> analysis = analyzeReplay(*trace, *machine);
  if (!analysis) {
    fmt::print(stderr, "{} [{}]\n", analysis.error().text, codeName(analysis.error().code));
    return 1;
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  fmt::print("{:.1f} s; {} accesses mapped, {} not\n", elapsed.count(),
             analysis->sample.stream.mapped, analysis->sample.stream.unmapped);
  for (const GroupReplay &group : analysis->groups) {
    const trace::Group &of = analysis->trace->sites.groups[group.group];
    const std::vector<LayoutField> fields = layoutFields(analysis->trace->sites.records[of.record]);
    fmt::print("{} ({}): {}\n", group.decision.record, of.arrays.front(),
               reasonOf(*analysis, group));
    fmt::print("  source: {:.4f} ms; {} candidates, {:.0f} B converted\n",
               group.source.totalNs() * 1e-6, group.candidates.size(),
               group.hostCopies.convertedBytes);
    for (std::size_t i = 0; i < group.candidates.size() && i < 5; ++i) {
      const Candidate &candidate = group.candidates[i];
      fmt::print("  {:.4f} ms kernels, {:.4f} ms conversion: {}\n", candidate.kernelNs * 1e-6,
                 candidate.conversionNs * 1e-6,
                 candidate.isSource ? "original" : describe(candidate.layout, fields));
    }
    for (const KernelOutcome &outcome : group.kernels) {
      const KernelTime &before = outcome.before.time;
      const KernelTime &after = outcome.after.time;
      fmt::print(
          "  {}: {:.4f} -> {:.4f} ms; issue {:.3f} -> {:.3f}, arithmetic {:.3f}, L1 {:.3f} -> "
          "{:.3f}, L2 {:.3f} -> "
          "{:.3f}, DRAM {:.3f} -> {:.3f}, start {:.3f}, latency {:.3f} -> {:.3f}, launch {:.3f}\n",
          analysis->trace->kernels[outcome.kernel], before.totalNs * 1e-6, after.totalNs * 1e-6,
          before.issueNs * 1e-6, after.issueNs * 1e-6, before.arithmeticNs * 1e-6,
          before.l1Ns * 1e-6, after.l1Ns * 1e-6, (before.l2ReadNs + before.l2WriteNs) * 1e-6,
          (after.l2ReadNs + after.l2WriteNs) * 1e-6, before.dramNs * 1e-6, after.dramNs * 1e-6,
          before.startNs * 1e-6, before.latencyNs * 1e-6, after.latencyNs * 1e-6,
          before.launchNs * 1e-6);
    }
  }
  if (argc == 4)
    std::ofstream(argv[3]) << toJson(planOf(*analysis));
  return 0;
}
