// SPDX-License-Identifier: Apache-2.0
// `relayout optimize`: the decision, made again where the rewriter or nvcc says more.
#include "stages/optimize_run.h"

#include "processes/nvcc.h"
#include "stages/bounded_kernels.h"
#include "stages/compiled_finalists.h"
#include "stages/machine_of_gpu.h"
#include "stages/measure_on_gpu.h"
#include "stages/whole_arrays.h"

#include <string_view>

namespace relayout::tool {
namespace {

/// What came of compiling the finalists.
enum class AsCompiled {
  NotAsked, ///< or nothing differs from the original
  TooSlow,  ///< nvcc compiles the original in no time that anybody waits for, or not at all
  Decided,
};

/// Decides between the finalists again, with the registers and loops that nvcc makes of them, where
/// it is installed and they may matter.
Result<AsCompiled> decideAsCompiled(const OptimizeRun &run, const instrument::ParsedProgram &parsed,
                                    const Traces &traces, DecideOptions options, Decided &decided) {
  if (!run.options.compile || !restsOnEstimatedCode(decided.plan))
    return AsCompiled::NotAsked;
  const auto nvcc = run.gpu != nullptr ? std::optional(run.gpu->compiler) : findNvcc();
  if (!nvcc)
    return AsCompiled::NotAsked;
  run.progress.expectMore(1);
  run.progress.begin("compile the finalists");
  const auto compiled =
      compileFinalists(parsed.program(), parsed, decided, *nvcc, run.folder + "/compiled");
  if (!compiled)
    return tl::unexpected(compiled.error());
  if (!*compiled)
    return AsCompiled::NotAsked;
  if ((*compiled)->versions.empty()) {
    run.progress.note("nvcc does not compile the original in time: estimates stay");
    return AsCompiled::TooSlow;
  }
  options.compiled = &**compiled;
  auto again =
      decide(traces.deciding, options, [&run](const std::string &how) { run.progress.note(how); });
  if (!again)
    return tl::unexpected(again.error());
  decided = std::move(*again);
  return AsCompiled::Decided;
}

Result<Decided> decideFrom(const OptimizeRun &run, const instrument::ParsedProgram &parsed,
                           const Traces &traces) {
  const SearchSink note = [&run](const std::string &how) { run.progress.note(how); };
  run.progress.begin("analyse the trace and decide");
  DecideOptions options = run.options.deciding;
  options.otherRun = traces.otherRun;
  if (run.gpu != nullptr)
    predictFor(*run.gpu, options);
  auto decided = decide(traces.deciding, options, note);
  if (!decided || run.gpu == nullptr)
    return decided;
  if (options.policy == "replay" && options.layout.empty())
    if (auto compiled = decideAsCompiled(run, parsed, traces, options, *decided); !compiled)
      return tl::unexpected(compiled.error());
  run.progress.begin("build, compare and time layouts on the GPU");
  if (auto added = addBoundedAlternatives(run, parsed, *decided); !added)
    return tl::unexpected(added.error());
  const GpuMeasurement measurement{
      *run.gpu,
      {run.realArguments(), run.folder + "/measure", run.paths.libraries},
      run.options.runs,
      note};
  if (auto measured = decideByMeasure(run.program, measurement, *decided); !measured)
    return tl::unexpected(measured.error());
  if (decided->measured) {
    const MeasuredChoice &choice = decided->measured->choice;
    const auto bounded = decided->boundedAlternatives.find(choice.versions[choice.best].name);
    if (bounded != decided->boundedAlternatives.end())
      decided->bounded = bounded->second;
  }
  return decided;
}

} // namespace

Result<AppliedDecision> decideAndRewrite(const OptimizeRun &run,
                                         const instrument::ParsedProgram &parsed,
                                         const Traces &traces, std::vector<Diagnostic> &findings) {
  auto decided = decideFrom(run, parsed, traces);
  if (!decided)
    return tl::unexpected(decided.error());
  run.progress.begin("rewrite");
  auto rewrite = rewriter::rewritePartially(parsed, decided->plan);
  if (!rewrite)
    return tl::unexpected(rewrite.error());
  DecideOptions asked = run.options.deciding;
  asked.otherRun = traces.otherRun;
  bool isSlow = false;
  if (run.gpu == nullptr && asked.policy == "replay" && asked.layout.empty()) {
    auto whole = explodedInVain(parsed, decided->plan, *rewrite);
    if (!whole)
      return tl::unexpected(whole.error());
    if (!whole->empty()) {
      for (Diagnostic &finding : rewrite->findings)
        if (finding.code == Code::ArrayMemberUsedWhole) {
          finding.severity = Severity::Warning;
          constexpr std::string_view kVerdict = "are not rewritten";
          if (const std::size_t at = finding.text.find(kVerdict); at != std::string::npos)
            finding.text.replace(at, kVerdict.size(), "are not exploded");
          finding.notes = {
              {finding.where, "another layout is chosen, which keeps the array whole"}};
          findings.push_back(std::move(finding));
        }
      asked.wholeArrays = std::move(*whole);
      decided = decide(traces.deciding, asked,
                       [&run](const std::string &how) { run.progress.note(how); });
      if (!decided)
        return tl::unexpected(decided.error());
      rewrite = rewriter::rewritePartially(parsed, decided->plan);
      if (!rewrite)
        return tl::unexpected(rewrite.error());
    }
    if (traces.notComparable) // nothing will be kept
      return AppliedDecision{std::move(*decided), std::move(*rewrite)};
    const auto compiled = decideAsCompiled(run, parsed, traces, asked, *decided);
    if (!compiled)
      return tl::unexpected(compiled.error());
    isSlow = *compiled == AsCompiled::TooSlow;
    if (*compiled == AsCompiled::Decided) {
      rewrite = rewriter::rewritePartially(parsed, decided->plan);
      if (!rewrite)
        return tl::unexpected(rewrite.error());
    }
  }
  if (run.gpu == nullptr && !isSlow) {
    const auto bounded = boundChoice(run, parsed, *decided);
    if (!bounded)
      return tl::unexpected(bounded.error());
    if (*bounded)
      rewrite = rewriter::rewritePartially(parsed, decided->plan);
    if (!rewrite)
      return tl::unexpected(rewrite.error());
  }
  return AppliedDecision{std::move(*decided), std::move(*rewrite)};
}

} // namespace relayout::tool
