// SPDX-License-Identifier: Apache-2.0
// Traces the program before and after, and compares what is predicted of each kernel.
#include "stages/remapped_threads.h"

#include "relayout/rewriter/thread_roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace relayout::tool {
namespace {

namespace fs = std::filesystem;
using KernelTimes = std::map<std::string, analysis::KernelTime>;

std::string folderOf(const OptimizeRun &run) { return run.folder + "/remapped"; }

Result<KernelTimes> timesOf(const OptimizeRun &run, const Traces &traces) {
  const auto machine = machineOf(run.options.deciding);
  if (!machine)
    return tl::unexpected(machine.error());
  analysis::ReplayOptions options;
  options.scale = {run.options.deciding.scale, run.options.deciding.repeat};
  return analysis::kernelTimes(traces.deciding, *machine, options);
}

/// The program with these kernels edited, traced.
Result<RemappedThreads> tracedWith(const OptimizeRun &run, rewriter::ExchangedRoles exchanged,
                                   std::vector<Diagnostic> &findings) {
  const std::string folder = folderOf(run);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  if (auto written = instrument::writeSources(exchanged.rewrite.sources, folder); !written)
    return tl::unexpected(written.error());
  instrument::Program program = changedInFolder(run.program, exchanged.rewrite.sources, folder);
  instrument::ParsedProgram parsed(program);
  const OptimizeRun again{run.options, program, parsed,          run.arguments, run.commandLine,
                          run.paths,   run.gpu, folder + "-run", run.progress};
  run.progress.expectMore(tracingStages(run.options, /*isOnGpu=*/false));
  auto traces = obtainTraces(again, findings);
  if (!traces)
    return tl::unexpected(traces.error());
  return RemappedThreads{
      std::move(exchanged.rewrite), fs::weakly_canonical(folder).string(), parsed,
      std::move(*traces),           std::move(exchanged.kernels),          {}};
}

/// Kernels whose whole interval of the ratio is below 1.
std::set<std::string> gaining(const std::vector<std::string> &kernels, const KernelTimes &before,
                              const KernelTimes &after) {
  std::set<std::string> found;
  for (const std::string &kernel : kernels) {
    const auto old = before.find(kernel), now = after.find(kernel);
    if (old == before.end() || now == after.end())
      continue;
    const double error = analysis::ratioError(analysis::bindingResource(old->second),
                                              analysis::bindingResource(now->second));
    if (now->second.totalNs * (1 + error) < old->second.totalNs)
      found.insert(kernel);
  }
  return found;
}

std::string describe(const std::set<std::string> &kernels, const KernelTimes &before,
                     const KernelTimes &after) {
  std::string text;
  for (const std::string &kernel : kernels)
    text +=
        fmt::format("threads of '{}' exchange the roles of x and y: {:.2f} ms become {:.2f} ms, "
                    "predicted with all arrays as they are\n",
                    kernel, before.at(kernel).totalNs * 1e-6, after.at(kernel).totalNs * 1e-6);
  return text;
}

} // namespace

Result<std::optional<RemappedThreads>> remapThreads(const OptimizeRun &run, const Traces &traces,
                                                    std::vector<Diagnostic> &findings) {
  run.progress.expectMore(1);
  run.progress.begin("exchange the roles of threads");
  auto all = rewriter::exchangeThreadRoles(run.parsed, [](const std::string &) { return true; });
  if (!all)
    return tl::unexpected(all.error());
  std::ranges::copy(all->rewrite.findings, std::back_inserter(findings));
  if (all->kernels.empty())
    return std::nullopt;
  const auto before = timesOf(run, traces);
  if (!before)
    return tl::unexpected(before.error());
  std::vector<Diagnostic> known; // of the program that was given
  auto remapped = tracedWith(run, std::move(*all), known);
  if (!remapped)
    return tl::unexpected(remapped.error());
  const auto after = timesOf(run, remapped->traces);
  if (!after)
    return tl::unexpected(after.error());
  const std::set<std::string> kernels = gaining(remapped->kernels, *before, *after);
  if (kernels.empty())
    return std::nullopt;
  if (kernels.size() != remapped->kernels.size()) {
    auto some = rewriter::exchangeThreadRoles(
        run.parsed, [&](const std::string &kernel) { return kernels.contains(kernel); });
    if (!some)
      return tl::unexpected(some.error());
    remapped = tracedWith(run, std::move(*some), known);
    if (!remapped)
      return tl::unexpected(remapped.error());
  }
  remapped->text = describe(kernels, *before, *after);
  return std::optional(std::move(*remapped));
}

instrument::SourceSet ofGivenProgram(const RemappedThreads &remapped,
                                     const instrument::SourceSet &rewritten) {
  instrument::SourceSet sources = remapped.exchange.sources;
  const fs::path given = rootOf(sources);
  fs::path root = given;
  std::map<fs::path, std::size_t> known;
  for (std::size_t i = 0; i < sources.files.size(); ++i)
    known[given / sources.files[i].relativePath] = i;
  for (const instrument::SourceText &file : rewritten.files) {
    fs::path path = rootOf(rewritten) / file.relativePath;
    const fs::path inCopy = path.lexically_relative(remapped.folder);
    if (!inCopy.empty() && *inCopy.begin() != "..")
      path = given / inCopy;
    const auto [entry, isNew] = known.try_emplace(path, sources.files.size());
    if (isNew) {
      sources.files.push_back(file);
      if (!file.originalPath.empty())
        sources.files.back().originalPath = path.string();
    } else {
      sources.files[entry->second].text = file.text;
    }
    while (path.lexically_relative(root).begin()->string() == "..")
      root = root.parent_path();
  }
  for (const auto &[path, index] : known)
    sources.files[index].relativePath = path.lexically_relative(root).string();
  return sources;
}

} // namespace relayout::tool
