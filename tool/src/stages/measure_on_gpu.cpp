// SPDX-License-Identifier: Apache-2.0
// Builds the best few layouts, compares what they copy back and times them on this machine's GPU.
#include "stages/measure_on_gpu.h"

#include "stages/gpu_build.h"
#include "stages/probed_program.h"

#include "relayout/rewriter/rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace relayout::tool {
namespace {

namespace fs = std::filesystem;

constexpr const char *kOriginal = "original";
constexpr const char *kRewritten = "rewritten";
/// The original, which says what is padding in the records that it copies.
constexpr const char *kNoted = "padding-noted";

/// What a plan makes of each group of the program; a null plan: nothing.
std::vector<std::string> layoutNames(const analysis::Plan *plan, const trace::SiteTable &sites) {
  std::vector<std::string> names(sites.groups.size(), "original");
  if (plan == nullptr)
    return names;
  const auto layouts = analysis::layoutsByGroup(*plan, sites);
  for (trace::Index g = 0; g < sites.groups.size(); ++g)
    if (layouts[g])
      names[g] = analysis::describe(*layouts[g],
                                    analysis::layoutFields(sites.records[sites.groups[g].record]));
  return names;
}

/// What a version copies, beside what the original does in two runs.
Result<CopyComparison> compareRuns(const GpuRuns &runs, const std::string &name) {
  OriginalCopies expected;
  for (int run = 0; run < 2; ++run) {
    const auto copies = runs.copiesOf(kOriginal);
    if (!copies)
      return tl::unexpected(copies.error());
    expected.add(*copies);
  }
  if (auto comparable = expected.requireComparable(); !comparable)
    return tl::unexpected(comparable.error());
  const auto copies = runs.copiesOf(name);
  if (!copies)
    return tl::unexpected(copies.error());
  return expected.compareWith(*copies);
}

/// The original and other versions of a program, to be built in one folder.
class GpuVersions {
public:
  GpuVersions(const instrument::Program &program, const GpuRunSettings &settings)
      : program_(program), settings_(settings) {
    std::error_code ignored;
    fs::remove_all(settings.folder, ignored);
    add(kOriginal, program);
  }

  /// \param moved  as unitsOf() takes it
  void add(const std::string &name, const instrument::Program &moved) {
    const std::string folder = fs::absolute(settings_.folder + "/" + name).string();
    std::error_code ignored;
    fs::create_directories(folder, ignored);
    versions_.push_back(
        {name, unitsOf(program_, moved), sharedRuntimeWords(), folder + "/program"});
  }

  /// Builds them, and learns what is padding in the records that the original copies.
  [[nodiscard]] Result<GpuRuns> build(const std::string &nvcc) {
    if (auto noted = addNoted(nvcc); !noted)
      return tl::unexpected(noted.error());
    GpuRuns runs(settings_, buildForGpu(program_, versions_, nvcc, settings_.folder + "/objects"));
    if (versions_.back().name == kNoted)
      if (auto taken = runs.takePaddingFrom(kNoted); !taken)
        return tl::unexpected(taken.error());
    return runs;
  }

  /// Compares a version with the original, both built without FMA contraction: which products and
  /// sums nvcc contracts depends on the surrounding code, so that programs that compute the same
  /// round differently.
  [[nodiscard]] Result<CopyComparison> compareWithoutFma(const std::string &nvcc,
                                                         const std::string &name) const {
    GpuRunSettings settings = settings_;
    settings.folder += "/without-fma";
    std::vector<GpuVersion> versions;
    for (const GpuVersion &version : versions_) {
      if (version.name != kOriginal && version.name != kNoted && version.name != name)
        continue;
      GpuVersion &made = versions.emplace_back(version);
      const std::string folder = fs::absolute(settings.folder + "/" + version.name).string();
      std::error_code ignored;
      fs::create_directories(folder, ignored);
      made.output = folder + "/program";
      for (std::size_t i = 0; i < made.units.size(); ++i)
        if (program_.units[i].language == instrument::Language::Cuda)
          made.units[i].flags.emplace_back("-fmad=false");
    }
    GpuRuns runs(settings, buildForGpu(program_, versions, nvcc, settings.folder + "/objects"));
    if (versions_.back().name == kNoted)
      if (auto taken = runs.takePaddingFrom(kNoted); !taken)
        return tl::unexpected(taken.error());
    auto comparison = compareRuns(runs, name);
    if (comparison)
      comparison->withoutFma = true;
    return comparison;
  }

  /// Those that are to be run and compared.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const GpuVersion &version : versions_)
      if (version.name != kNoted)
        names.push_back(version.name);
    return names;
  }

private:
  /// Only where records with padding are copied.
  Result<void> addNoted(const std::string &nvcc) {
    const std::string folder = fs::absolute(settings_.folder + "/" + kNoted).string();
    const auto noted = insertPaddingNotes(program_, nvcc, settings_.folder);
    if (!noted)
      return tl::unexpected(noted.error());
    if (noted->sources.files.empty())
      return {};
    if (auto written = instrument::writeSources(noted->sources, folder); !written)
      return written;
    add(kNoted, program_);
    GpuVersion &version = versions_.back();
    for (std::size_t i = 0; i < noted->files.size(); ++i)
      if (!noted->files[i].empty())
        version.units[i] = {folder + "/" + noted->files[i], {}};
    const std::string libraries = fs::absolute(settings_.libraries).string();
    version.linkWords.insert(
        version.linkWords.end(),
        {"-L" + libraries, "-lrelayout_copies", "-Xlinker", "-rpath", "-Xlinker", libraries});
    return {};
  }

  const instrument::Program &program_;
  const GpuRunSettings &settings_;
  std::vector<GpuVersion> versions_;
};

/// What is to be measured beside the original.
struct Alternatives {
  std::vector<const analysis::Plan *> plans = {nullptr}; ///< by version
  std::vector<std::string> refused;
};

/// Writes each alternative that differs from the original and from those before.
Result<Alternatives> writeAlternatives(const instrument::Program &program, const Decided &decided,
                                       const std::string &folder, GpuVersions &versions) {
  Alternatives written;
  const instrument::ParsedProgram parsed(program);
  std::vector<std::string> texts;
  for (const auto &[name, plan] : decided.alternatives) {
    auto rewrite = rewriter::rewritePartially(parsed, plan);
    if (!rewrite)
      return tl::unexpected(rewrite.error());
    const std::string diff = instrument::unifiedDiff(rewrite->sources);
    if (rewrite->refused())
      written.refused.push_back(name);
    if (rewrite->refused() || diff.empty() || std::ranges::find(texts, diff) != texts.end())
      continue;
    texts.push_back(diff);
    const std::string sources = fmt::format("{}/{}", folder, name);
    if (auto done = instrument::writeSources(rewrite->sources, sources); !done)
      return tl::unexpected(done.error());
    versions.add(name, changedInFolder(program, rewrite->sources, sources));
    written.plans.push_back(&plan);
  }
  return written;
}

Error copiesDiffer(const MeasuredVersion &version) {
  return {Code::CopiesDiffer,
          fmt::format("'{}' computes something else on the GPU: {}; this is a fault of relayout, "
                      "and the version is not kept",
                      version.name, *version.comparison.difference),
          {},
          {}};
}

/// A layout that was asked for is kept if it can be.
Result<void> keepAsked(MeasuredChoice &choice) {
  const MeasuredVersion &asked = choice.versions[1];
  if (!asked.failure.empty())
    return fail(Code::NotMeasured, "the rewritten program fails on the GPU: " + asked.failure);
  if (!asked.comparison.identical())
    return tl::unexpected(copiesDiffer(asked));
  choice.best = 1;
  return {};
}

void adopt(const MeasuredChoice &choice, const analysis::Plan *best, analysis::Plan &plan) {
  if (best != nullptr)
    plan = *best;
  const double before = choice.versions.front().medianMs;
  const double after = choice.versions[choice.best].medianMs;
  for (analysis::Decision &decision : plan.decisions) {
    if (best == nullptr)
      decision.keep = true;
    decision.reason = fmt::format("measured {:.4f} ms instead of {:.4f} ms ({}); {}", after, before,
                                  choice.versions[choice.best].name, decision.reason);
  }
}

} // namespace

Result<void> decideByMeasure(const instrument::Program &program, const GpuMeasurement &measurement,
                             Decided &decided) {
  GpuVersions versions(program, measurement.runs);
  const auto alternatives = writeAlternatives(program, decided, measurement.runs.folder, versions);
  if (!alternatives)
    return tl::unexpected(alternatives.error());
  if (alternatives->plans.size() == 1)
    return {};
  const std::vector<std::string> names = versions.names();
  measurement.note(fmt::format("building {} versions", names.size()));
  const auto runs = versions.build(measurement.gpu.compiler);
  if (!runs)
    return tl::unexpected(runs.error());
  const auto run = [&](const std::string &name) {
    measurement.note(fmt::format("running '{}'", name));
    return (*runs)(name);
  };
  const auto withoutFma = [&](const std::string &name) {
    measurement.note(fmt::format("comparing '{}' with -fmad=false", name));
    return versions.compareWithoutFma(measurement.gpu.compiler, name);
  };
  auto choice = chooseByMeasure(names, measurement.count, run, withoutFma);
  if (!choice)
    return tl::unexpected(choice.error());
  if (!decided.askedLayout.empty())
    if (auto kept = keepAsked(*choice); !kept)
      return kept;
  MeasuredVersions measured{
      *choice, measurement.count, {}, alternatives->refused, measurement.gpu.gpu};
  for (const analysis::Plan *plan : alternatives->plans)
    measured.layouts.push_back(layoutNames(plan, decided.trace()->sites));
  adopt(*choice, alternatives->plans[choice->best], decided.plan);
  decided.measured = std::move(measured);
  return {};
}

std::vector<Diagnostic> faultsOf(const MeasuredVersions &measured) {
  std::vector<Diagnostic> faults;
  for (const MeasuredVersion &version : measured.choice.versions)
    if (!version.comparison.identical()) {
      faults.push_back(toDiagnostic(copiesDiffer(version)));
      faults.back().severity = Severity::Warning;
    }
  return faults;
}

Result<Verification> runAndCompareOnGpu(const instrument::Program &original,
                                        const instrument::Program &rewritten, const GpuMachine &gpu,
                                        const GpuRunSettings &settings) {
  GpuVersions versions(original, settings);
  versions.add(kRewritten, rewritten);
  const auto runs = versions.build(gpu.compiler);
  if (!runs)
    return tl::unexpected(runs.error());
  auto comparison = compareRuns(*runs, kRewritten);
  if (!comparison)
    return tl::unexpected(comparison.error());
  if (!comparison->identical())
    if (auto withoutFma = versions.compareWithoutFma(gpu.compiler, kRewritten);
        withoutFma && withoutFma->identical())
      comparison = std::move(withoutFma);
  return Verification{.comparison = *comparison, .gpu = gpu.gpu};
}

} // namespace relayout::tool
