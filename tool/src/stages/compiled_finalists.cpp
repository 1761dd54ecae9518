// SPDX-License-Identifier: Apache-2.0
// Compiles finalists and reads what ptxas says of their kernels, and the loops of these.
#include "stages/compiled_finalists.h"

#include "stages/compiled_kernels.h"
#include "stages/stages.h"

#include "relayout/rewriter/rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace relayout::tool {
namespace {

namespace fs = std::filesystem;

constexpr const char *kOriginal = "original";

} // namespace

bool restsOnEstimatedCode(const analysis::Plan &plan) {
  return std::ranges::any_of(plan.decisions, [](const analysis::Decision &decision) {
    return std::ranges::any_of(decision.lowConfidence, [](const analysis::LowConfidence &known) {
      return known.reason == analysis::LowConfidenceReason::EstimatedRegisters ||
             known.reason == analysis::LowConfidenceReason::EstimatedLoop;
    });
  });
}

Result<std::optional<analysis::CompiledFinalists>>
compileFinalists(const instrument::Program &program, const instrument::ParsedProgram &parsed,
                 const Decided &decided, const std::string &nvcc, const std::string &folder) {
  const auto *replay = std::get_if<analysis::ReplayAnalysis>(&decided.analysis);
  if (replay == nullptr || replay->machine.computeCapability.empty())
    return std::nullopt;
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  std::vector<GpuVersion> builds{{kOriginal, unitsOf(program, program), {}, {}}};
  analysis::CompiledFinalists finalists;
  finalists.versions.push_back(
      {kOriginal, std::vector<std::optional<analysis::Layout>>(replay->groups.size()), {}});
  for (const auto &[name, plan] : decided.alternatives) {
    const auto layouts = analysis::layoutsByGroup(plan, replay->trace->sites);
    if (std::ranges::find(finalists.versions, layouts, &analysis::CompiledVersion::layouts) !=
            finalists.versions.end() ||
        name == "exploded-soa")
      continue;
    auto rewrite = rewriter::rewritePartially(parsed, plan);
    if (!rewrite)
      return tl::unexpected(rewrite.error());
    if (rewrite->refused())
      continue;
    const std::string sources = (fs::absolute(folder) / name).string();
    if (auto written = instrument::writeSources(rewrite->sources, sources); !written)
      return tl::unexpected(written.error());
    builds.push_back(
        {name, unitsOf(program, changedInFolder(program, rewrite->sources, sources)), {}, {}});
    finalists.versions.push_back({name, layouts, {}});
  }
  if (builds.size() == 1)
    return std::nullopt;
  auto compiled =
      compiledKernels(parsed, std::move(builds), replay->machine, nvcc, folder + "/objects");
  for (analysis::CompiledVersion &version : finalists.versions)
    version.kernels = std::move(compiled[version.name]);
  if (finalists.versions.front().kernels.empty()) {
    finalists.versions.clear();
    return finalists;
  }
  std::erase_if(finalists.versions,
                [](const analysis::CompiledVersion &version) { return version.kernels.empty(); });
  if (finalists.versions.size() == 1)
    return std::nullopt;
  finalists.earlier = replay->groups;
  return finalists;
}

} // namespace relayout::tool
