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

constexpr const char *kAsWritten = "as-written";
constexpr const char *kBounded = "bounded";

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

/// Compiles the program as a plan has it, without and with launch bounds for all kernels that take
/// a part of the time. None where the rewriter refuses the plan.
/// \param isMeasured  as kernelsToBound() takes it; else kernels that DRAM binds are left out
/// \param folder      for sources, objects and the compiler's words
Result<std::vector<analysis::BoundedKernel>>
boundedKernels(const instrument::ParsedProgram &parsed, const analysis::Plan &plan,
               const analysis::ReplayAnalysis &analysis, bool isMeasured, const std::string &nvcc,
               const std::string &folder) {
  const std::set<std::string> heavy = heavyKernels(analysis, isMeasured);
  if (heavy.empty() || analysis.machine.computeCapability.empty())
    return std::vector<analysis::BoundedKernel>{};
  const instrument::Program &program = parsed.program();
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  std::vector<GpuVersion> versions;
  analysis::Plan both[] = {plan, plan};
  both[1].boundedKernels.assign(heavy.begin(), heavy.end());
  for (const analysis::Plan &own : both) {
    const std::string name = own.boundedKernels.empty() ? kAsWritten : kBounded;
    auto rewrite = rewriter::rewritePartially(parsed, own);
    if (!rewrite)
      return tl::unexpected(rewrite.error());
    if (rewrite->refused())
      return std::vector<analysis::BoundedKernel>{};
    const std::string sources = (fs::absolute(folder) / name).string();
    if (auto written = instrument::writeSources(rewrite->sources, sources); !written)
      return tl::unexpected(written.error());
    versions.push_back(
        {name, unitsOf(program, changedInFolder(program, rewrite->sources, sources)), {}, {}});
  }
  auto kernels = compiledKernels(program, versions, analysis.machine, nvcc, folder + "/objects");
  return analysis::kernelsToBound(*analysis.trace, kernels[kAsWritten], kernels[kBounded], heavy,
                                  analysis.machine, isMeasured);
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
  analysis::Plan original = decided.plan;
  for (analysis::Decision &decision : original.decisions)
    decision.keep = true;
  for (const auto &[name, plan] :
       {std::pair("original-bounded", original), std::pair("choice-bounded", decided.plan)}) {
    auto kernels = boundedKernels(parsed, plan, *analysis, /*isMeasured=*/true, run.gpu->compiler,
                                  fmt::format("{}/compiled/{}", run.folder, name));
    if (!kernels)
      return tl::unexpected(kernels.error());
    if (kernels->empty())
      continue;
    decided.alternatives.emplace_back(name, plan).second.boundedKernels = namesOf(*kernels);
    decided.boundedAlternatives.emplace(name, std::move(*kernels));
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
  auto kernels = boundedKernels(parsed, decided.plan, *analysis, /*isMeasured=*/false, *nvcc,
                                run.folder + "/compiled/bounds");
  if (!kernels)
    return tl::unexpected(kernels.error());
  decided.plan.boundedKernels = namesOf(*kernels);
  decided.bounded = std::move(*kernels);
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
