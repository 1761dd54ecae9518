// SPDX-License-Identifier: Apache-2.0
// `relayout optimize`: the traces that it decides from.
#include "stages/optimize_run.h"

#include "stages/copy_comparison.h"
#include "stages/gpu_build.h"
#include "stages/gpu_runs.h"
#include "stages/probed_program.h"
#include "stages/sparse_run.h"

#include "relayout/instrument/clang/array_flow.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>

namespace relayout::tool {
namespace {

namespace fs = std::filesystem;

constexpr const char *kTraced = "traced";

std::string stageOfParsing(const OptimizeRun &run) {
  return fmt::format("parse and instrument {}", instrument::shortList(filesOf(run.program)));
}

std::vector<std::string> wordsOf(const std::string &line) {
  std::istringstream text(line);
  return {std::istream_iterator<std::string>(text), {}};
}

Result<void> runTraced(const OptimizeRun &run, const HostProgram &traced,
                       const std::string &traceFile, const TraceOptions &tracing,
                       std::vector<Diagnostic> &findings) {
  const std::string output = run.folder + "/traced/output.txt";
  const auto exitCode = runHostProgram(traced, run.arguments, traceFile, tracing, output);
  if (!exitCode)
    return tl::unexpected(exitCode.error());
  if (*exitCode != 0)
    findings.push_back(endedWith(*exitCode, output));
  return {};
}

Result<HostProgram> traceOnCpu(const OptimizeRun &run, const std::string &traceFile,
                               std::vector<Diagnostic> &findings) {
  run.progress.begin(stageOfParsing(run));
  auto traced = lowerToFolder(run.parsed, instrument::Probes::Trace, run.folder, kTraced, findings);
  if (!traced)
    return traced;
  run.progress.begin("build the traced program for the CPU");
  if (auto built = buildHostPrograms({&*traced}, run.paths); !built)
    return tl::unexpected(built.error());
  run.progress.begin("run the traced program");
  if (auto ran = runTraced(run, *traced, traceFile, run.options.tracing, findings); !ran)
    return tl::unexpected(ran.error());
  return traced;
}

/// True where records were accessed, but by none of the blocks whose addresses were kept.
bool sampledNothing(const trace::Trace &trace) {
  bool accessed = false;
  for (const trace::SiteCount &row : trace.counts) {
    const auto site = trace::findSite(trace.sites, row.site);
    if (!site || trace.sites.sites[*site].record == trace::kNone)
      continue;
    accessed |= row.warpAccesses > 0;
    if (row.recorded > 0)
      return false;
  }
  return accessed;
}

/// The run of the real size, where that can be sampled; else the one that was traced.
trace::TraceHandle sampledOr(const trace::TraceHandle &small, const OptimizeRun &run,
                             const HostProgram &traced, std::vector<Diagnostic> &findings) {
  run.progress.begin("sample a run of the real size");
  auto real = traceSparsely(
      traced, {run.arguments, run.realArguments(), run.options.tracing, run.folder + "/traced"});
  if (real)
    return *real;
  findings.push_back(toDiagnostic(real.error()));
  findings.back().severity = Severity::Warning;
  return small;
}

Diagnostic cutShort(const trace::Trace &trace, std::chrono::seconds wholeFor) {
  std::string text =
      fmt::format("the program takes more than {} s on the CPU: after that, a few blocks of each "
                  "launch stand for all, and counts are estimates",
                  wholeFor.count());
  if (trace.machine.kind == trace::kEndedCpu)
    text +=
        fmt::format("; it had not ended after {} s, or failed for want of results, and what came "
                    "later is not known",
                    2 * wholeFor.count());
  return {Severity::Warning,
          Code::RunCutShort,
          std::move(text),
          {},
          {{{}, "arguments of a smaller run trace and verify all of it; --whole-for 0 waits"}}};
}

/// The run with the arguments of --scale-with.
Result<trace::TraceHandle> traceOther(const OptimizeRun &run, const HostProgram &traced,
                                      std::vector<Diagnostic> &findings) {
  run.progress.begin("run the traced program with the other arguments");
  const std::string stem = run.folder + "/traced/scale-with";
  if (auto ran = runHostProgram(traced, wordsOf(run.options.scaleWith), stem + ".rlt",
                                run.options.tracing, stem + ".txt");
      !ran)
    return tl::unexpected(ran.error());
  auto other = readUsableTrace(stem + ".rlt");
  if (other && isCutShort(**other))
    findings.push_back(cutShort(**other, run.options.tracing.wholeFor));
  return other;
}

/// By the words of the build, from which flags leave out how far it goes.
instrument::DeviceCode deviceCodeOf(const instrument::Program &program) {
  const bool isLinked = std::ranges::any_of(program.units, [](const auto &unit) {
    return tool::deviceCodeOf(unit.flags) == instrument::DeviceCode::Linked ||
           tool::deviceCodeOf(unit.build.words) == instrument::DeviceCode::Linked;
  });
  return isLinked ? instrument::DeviceCode::Linked : instrument::DeviceCode::Whole;
}

/// \returns  the program with probes
Result<std::string> buildProbed(const OptimizeRun &run, const std::string &folder,
                                const instrument::ProbedProgram &probed) {
  GpuVersion version{kTraced, {}, probeLinkWords(run.paths), folder + "/program"};
  for (std::size_t i = 0; i < probed.files.size(); ++i) {
    UnitVersion &unit = version.units.emplace_back(UnitVersion{folder + "/" + probed.files[i], {}});
    unit.hasProbes = run.program.units[i].language == instrument::Language::Cuda;
    if (run.program.units[i].language != instrument::Language::C)
      unit.flags = {"-I", fs::absolute(probeHeaders(run.paths)).string()};
  }
  const auto failures = buildForGpu(run.program, {version}, run.gpu->compiler, folder + "/objects");
  if (!failures.empty())
    return tl::unexpected(failures.begin()->second);
  return version.output;
}

Result<void> traceOnGpu(const OptimizeRun &run, const std::string &traceFile,
                        std::vector<Diagnostic> &findings) {
  const std::string folder = fs::absolute(run.folder + "/" + kTraced).string();
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  fs::remove(traceFile, ignored);
  run.progress.begin(stageOfParsing(run));
  auto probed = insertProbes(run.program, deviceCodeOf(run.program), run.gpu->compiler, folder);
  if (!probed)
    return tl::unexpected(probed.error());
  run.parsed = run.program;
  std::ranges::move(probed->model.findings, std::back_inserter(findings));
  if (auto written = instrument::writeSources(probed->sources, folder); !written)
    return written;
  run.progress.begin("build it with probes");
  const auto program = buildProbed(run, folder, *probed);
  if (!program)
    return tl::unexpected(program.error());
  run.progress.begin("trace it on the GPU");
  std::vector<std::string> command = {*program};
  std::ranges::move(run.realArguments(), std::back_inserter(command));
  if (auto ran = runProbed(command, traceFile, run.options.tracing, folder + "/output.txt"); !ran)
    return ran;
  if (!fs::exists(traceFile))
    return fail(Code::NoTraceWritten,
                fmt::format("the program wrote no trace on {}; '{}' has its output", run.gpu->gpu,
                            folder + "/output.txt"));
  return {};
}

/// Whether a version could be compared with the original, as far as the traced run shows it.
/// \returns  RL-V02 or nothing
std::optional<Error> withoutResults(const OptimizeRun &run, const trace::Trace &trace) {
  if (!trace.copies.empty() || trace.sites.groups.empty() || isCutShort(trace))
    return std::nullopt;
  // States of memory that the host reaches are not in traces.
  if (std::ranges::any_of(trace.allocations, &trace::Allocation::isManaged))
    return std::nullopt;
  for (const instrument::ArrayFlow &flow : run.parsed.flows(instrument::Pass::Host))
    for (const instrument::ArrayGroup &group : flow.groups())
      if (group.origins.managed || group.origins.pinned || group.origins.unknown)
        return std::nullopt;
  Error error = nothingCopiedBack();
  error.notes.push_back({{},
                         fmt::format("`relayout rewrite … --plan {}/plan.json` changes the program "
                                     "without comparing",
                                     run.folder)});
  return error;
}

} // namespace

std::vector<std::string> OptimizeRun::realArguments() const {
  if (options.realArguments.empty())
    return arguments;
  return wordsOf(options.realArguments);
}

int tracingStages(const OptimizeOptions &options, bool isOnGpu) {
  if (!options.trace.empty())
    return 0;
  return 3 + (!isOnGpu && !options.realArguments.empty() ? 1 : 0) +
         (!options.scaleWith.empty() ? 1 : 0);
}

Result<Traces> obtainTraces(const OptimizeRun &run, std::vector<Diagnostic> &findings) {
  const OptimizeOptions &options = run.options;
  const std::string file = options.trace.empty() ? run.folder + "/trace.rlt" : options.trace;
  std::optional<HostProgram> traced;
  if (options.trace.empty() && run.gpu != nullptr) {
    if (auto made = traceOnGpu(run, file, findings); !made)
      return tl::unexpected(made.error());
  } else if (options.trace.empty()) {
    auto made = traceOnCpu(run, file, findings);
    if (!made)
      return tl::unexpected(made.error());
    traced = std::move(*made);
  }
  auto own = readUsableTrace(file);
  if (own && traced && options.tracing.mode == "sampled" && sampledNothing(**own)) {
    run.progress.expectMore(1);
    run.progress.begin("run it again: the sampled blocks accessed no array");
    TraceOptions all = options.tracing;
    all.mode = "full";
    if (auto ran =
            runHostProgram(*traced, run.arguments, file, all, run.folder + "/traced/output.txt");
        !ran)
      return tl::unexpected(ran.error());
    own = readUsableTrace(file);
  }
  if (!own)
    return tl::unexpected(own.error());
  if (traced && isCutShort(**own))
    findings.push_back(cutShort(**own, options.tracing.wholeFor));
  const auto notComparable = traced ? withoutResults(run, **own) : std::nullopt;
  if (notComparable && !options.quiet) {
    run.progress.end();
    fmt::print(stderr, "nothing is copied to the host: a rewrite could not be compared [{}]\n",
               codeName(notComparable->code));
  }
  const bool isSampled = traced && !options.realArguments.empty();
  Traces traces{
      file, *own, isSampled ? sampledOr(*own, run, *traced, findings) : *own, {}, notComparable};
  if (traced && !options.scaleWith.empty()) {
    auto other = traceOther(run, *traced, findings);
    if (!other)
      return tl::unexpected(other.error());
    traces.otherRun = std::move(*other);
  }
  return traces;
}

} // namespace relayout::tool
