// SPDX-License-Identifier: Apache-2.0
// Writes the program twice, and has what nvcc makes of both compared.
#include "stages/bounded_kernels.h"

#include "processes/nvcc.h"
#include "stages/compiled_kernels.h"
#include "stages/stages.h"

#include "relayout/analysis/gpu/fit.h"
#include "relayout/rewriter/rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace relayout::tool {
namespace {

namespace fs = std::filesystem;

constexpr const char *kBounded = "-bounded"; // behind the name of a plan

/// Kernels that take a part of the predicted time.
std::set<std::string> heavyKernels(const analysis::ReplayAnalysis &analysis, bool isMeasured) {
  std::map<std::string, double> ns;
  std::set<std::string> boundByDram;
  for (const analysis::GroupReplay &group : analysis.groups)
    for (const analysis::KernelOutcome &kernel : group.kernels) {
      double &most = ns[analysis.trace->kernels[kernel.kernel]];
      most = std::max(most, kernel.after.time.totalNs);
      if (bindingResource(kernel.after.time) == analysis::Resource::Dram)
        boundByDram.insert(analysis.trace->kernels[kernel.kernel]);
    }
  double all = 0;
  for (const auto &[name, own] : ns)
    all += own;
  std::set<std::string> heavy;
  for (const auto &[name, own] : ns)
    if (own >= analysis::fit::kMatters * all && (isMeasured || !boundByDram.contains(name)))
      heavy.insert(name);
  return heavy;
}

using NamedPlan = std::pair<std::string, analysis::Plan>;
using BoundedByPlan = std::map<std::string, std::vector<analysis::BoundedKernel>>;

/// Compiles the program as plans have it, without and with launch bounds for all kernels that take
/// a part of the time.
/// \param isMeasured  as kernelsToBound() takes it; else kernels that DRAM binds are left out
/// \param folder      for sources, objects and the compiler's words
/// \returns  those that gain, by their plans; none of a plan that the rewriter refuses, or that
///           gives a text which another gave before
Result<BoundedByPlan> boundedKernels(const instrument::ParsedProgram &parsed,
                                     const std::vector<NamedPlan> &plans,
                                     const analysis::ReplayAnalysis &analysis, bool isMeasured,
                                     const std::string &nvcc, const std::string &folder) {
  const std::set<std::string> heavy = heavyKernels(analysis, isMeasured);
  BoundedByPlan gaining;
  if (heavy.empty() || analysis.machine.computeCapability.empty())
    return gaining;
  const instrument::Program &program = parsed.program();
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  std::vector<GpuVersion> versions;
  std::set<std::string> texts;
  for (const auto &[name, plan] : plans)
    for (const bool isBounded : {false, true}) {
      analysis::Plan own = plan;
      if (isBounded)
        own.boundedKernels.assign(heavy.begin(), heavy.end());
      auto rewrite = rewriter::rewritePartially(parsed, own);
      if (!rewrite)
        return tl::unexpected(rewrite.error());
      if (rewrite->refused() || !texts.insert(instrument::unifiedDiff(rewrite->sources)).second)
        break;
      const std::string version = isBounded ? name + kBounded : name;
      const std::string sources = (fs::absolute(folder) / version).string();
      if (auto written = instrument::writeSources(rewrite->sources, sources); !written)
        return tl::unexpected(written.error());
      versions.push_back(
          {version, unitsOf(program, changedInFolder(program, rewrite->sources, sources)), {}, {}});
    }
  auto kernels =
      compiledKernels(parsed, std::move(versions), analysis.machine, nvcc, folder + "/objects");
  for (const auto &[name, plan] : plans)
    if (auto own =
            analysis::kernelsToBound(*analysis.trace, kernels[name], kernels[name + kBounded],
                                     heavy, analysis.machine, isMeasured);
        !own.empty())
      gaining.emplace(name, std::move(own));
  return gaining;
}

std::vector<std::string> namesOf(const std::vector<analysis::BoundedKernel> &kernels) {
  std::vector<std::string> names;
  for (const analysis::BoundedKernel &kernel : kernels)
    names.push_back(kernel.name);
  return names;
}

/// Where layouts are chosen, and may be compiled.
const analysis::ReplayAnalysis *analysisForBounds(const OptimizeRun &run, const Decided &decided) {
  return run.options.compile && decided.askedLayout.empty()
             ? std::get_if<analysis::ReplayAnalysis>(&decided.analysis)
             : nullptr;
}

} // namespace

Result<void> addBoundedAlternatives(const OptimizeRun &run, const instrument::ParsedProgram &parsed,
                                    Decided &decided) {
  const analysis::ReplayAnalysis *const analysis = analysisForBounds(run, decided);
  if (analysis == nullptr)
    return {};
  std::vector<NamedPlan> plans = decided.alternatives;
  for (analysis::Decision &decision : plans.emplace_back("original", decided.plan).second.decisions)
    decision.keep = true;
  auto kernels = boundedKernels(parsed, plans, *analysis, /*isMeasured=*/true, run.gpu->compiler,
                                run.folder + "/compiled/bounds");
  if (!kernels)
    return tl::unexpected(kernels.error());
  for (const auto &[name, plan] : plans) {
    const auto own = kernels->find(name);
    if (own == kernels->end())
      continue;
    const std::string bounded = name + kBounded;
    decided.alternatives.emplace_back(bounded, plan).second.boundedKernels = namesOf(own->second);
    decided.boundedAlternatives.emplace(bounded, std::move(own->second));
  }
  return {};
}

Result<bool> boundChoice(const OptimizeRun &run, const instrument::ParsedProgram &parsed,
                         Decided &decided) {
  const analysis::ReplayAnalysis *const analysis = analysisForBounds(run, decided);
  const auto nvcc = analysis != nullptr ? findNvcc() : std::nullopt;
  if (!nvcc)
    return false;
  run.progress.expectMore(1);
  run.progress.begin("compile it with and without launch bounds");
  auto kernels = boundedKernels(parsed, {{"choice", decided.plan}}, *analysis,
                                /*isMeasured=*/false, *nvcc, run.folder + "/compiled/bounds");
  if (!kernels)
    return tl::unexpected(kernels.error());
  decided.bounded = std::move((*kernels)["choice"]);
  decided.plan.boundedKernels = namesOf(decided.bounded);
  return !decided.bounded.empty();
}

std::string describe(const std::vector<analysis::BoundedKernel> &kernels) {
  if (kernels.empty())
    return {};
  std::size_t width = 6;
  for (const analysis::BoundedKernel &kernel : kernels)
    width = std::max(width, kernel.name.size());
  std::string text = fmt::format("\nLaunch bounds, so that nvcc may use more registers\n  {:<{}}  "
                                 "registers  time of a warp alone  warps that fit\n",
                                 "kernel", width);
  for (const analysis::BoundedKernel &kernel : kernels)
    text += fmt::format("  {:<{}}  {:>9}  {:>20.2f}  {:>14.2f}\n", kernel.name, width,
                        fmt::format("{} -> {}", kernel.registers, kernel.moreRegisters),
                        kernel.loneTime, kernel.warps);
  return text +
         "  By nvcc's machine code, over what it is without; bounds hold for every launch.\n";
}

} // namespace relayout::tool
