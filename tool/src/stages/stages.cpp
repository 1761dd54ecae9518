// SPDX-License-Identifier: Apache-2.0
// The steps that several subcommands share, each over files that stay on disk.
#include "stages/stages.h"

#include "stages/copies_of_run.h"
#include "stages/undefined_original.h"

#include "relayout/base/run_parallel.h"
#include "relayout/instrument/included_files.h"
#include "relayout/trace/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>

namespace relayout::tool {

namespace fs = std::filesystem;

namespace {

/// Of the include folders in the tree, their twins below `folder`, in front of all others.
std::vector<std::string> withTwins(const std::vector<std::string> &flags, const fs::path &root,
                                   const std::string &folder) {
  std::vector<std::string> twins;
  const std::vector<std::string> plain = instrument::toClangFlags(flags);
  for (std::size_t i = 0; i + 1 < plain.size(); ++i) {
    if (plain[i] != "-I" && plain[i] != "-iquote")
      continue;
    const fs::path below = fs::weakly_canonical(plain[i + 1]).lexically_relative(root);
    if (below.empty() || *below.begin() == "..")
      continue;
    twins.push_back(plain[i]);
    twins.push_back((fs::absolute(folder) / below).lexically_normal().string());
  }
  twins.insert(twins.end(), flags.begin(), flags.end());
  return twins;
}

} // namespace

fs::path rootOf(const instrument::SourceSet &sources) {
  const instrument::SourceText &first = sources.files.front();
  return first.originalPath.substr(0, first.originalPath.size() - first.relativePath.size());
}

instrument::Program inFolder(const instrument::Program &program,
                             const instrument::SourceSet &sources, const std::string &folder) {
  const fs::path root = rootOf(sources);
  instrument::Program moved = program;
  for (instrument::CompileCommand &unit : moved.units) {
    const std::string path = fs::weakly_canonical(unit.file).string();
    for (const instrument::SourceText &source : sources.files)
      if (source.originalPath == path)
        unit.file = folder + "/" + source.relativePath;
    unit.flags = withTwins(unit.flags, root, folder);
  }
  return moved;
}

instrument::Program changedInFolder(const instrument::Program &program,
                                    const instrument::SourceSet &sources,
                                    const std::string &folder) {
  std::set<std::string> changed;
  for (const instrument::SourceText &file : sources.files)
    if (file.text != file.original)
      changed.insert(file.originalPath);
  instrument::Program moved = inFolder(program, sources, folder);
  for (std::size_t i = 0; i < moved.units.size(); ++i) {
    const instrument::CompileCommand &unit = program.units[i];
    if (std::ranges::none_of(instrument::includedFiles(unit),
                             [&](const fs::path &file) { return changed.contains(file.string()); }))
      moved.units[i] = unit;
  }
  return moved;
}

std::vector<std::string> filesOf(const instrument::Program &program) {
  std::vector<std::string> files;
  for (const instrument::CompileCommand &unit : program.units)
    files.push_back(unit.file);
  return files;
}

Result<HostProgram> lowerToFolder(const instrument::ParsedProgram &program,
                                  instrument::Probes probes, const std::string &folder,
                                  const std::string &name, std::vector<Diagnostic> &findings) {
  auto lowered = instrument::lowerForHost(program, probes);
  if (!lowered)
    return tl::unexpected(lowered.error());
  findings.insert(findings.end(), lowered->model.findings.begin(), lowered->model.findings.end());
  return writeHostProgram(*lowered, folder + "/" + name, folder + "/objects");
}

namespace {

/// What a rewritten program may take on the CPU, where it ends after as long as the original: it is
/// as many times slower, and as many seconds more, at the very most.
constexpr int kTimesSlower = 10;
constexpr std::chrono::seconds kOfSeconds{20};

/// The rewritten program's run, which may not end at all.
Result<CopiesOfRun> runRewritten(const HostProgram &program,
                                 const std::vector<std::string> &arguments, TraceOptions options,
                                 unsigned workers, std::chrono::seconds original) {
  const std::chrono::seconds within = kTimesSlower * original + kOfSeconds;
  if (options.limit.count() == 0 || within < options.limit)
    options.limit = within;
  const auto started = std::chrono::steady_clock::now();
  auto run = runForCopies(program, arguments, options, workers);
  if (run || std::chrono::steady_clock::now() - started < within)
    return run;
  return fail(Code::CopiesDiffer,
              fmt::format("the rewritten program has not ended after {} s, where the original took "
                          "{} s: what it computes differs, or it is very much slower",
                          within.count(), original.count()),
              {},
              {{{}, "do not use it; a program that writes outside of its arrays may do so, too"}});
}

/// Whether a program, run again, ends with another code, as one that returns a time does.
bool endsAtRandom(const HostProgram &program, const std::vector<std::string> &arguments,
                  const TraceOptions &options, int exitCode) {
  constexpr int kRuns = 3;
  for (int i = 0; i < kRuns; ++i)
    if (const auto again = runForCopies(program, arguments, options, 1);
        again && again->exitCode != exitCode)
      return true;
  return false;
}

/// Copies, and how the programs end.
CopyComparison compare(const OriginalCopies &expected, const CopiesOfRun &before,
                       const CopiesOfRun &after) {
  CopyComparison comparison = expected.compareWith(after.copies);
  if (comparison.identical() && after.exitCode != before.exitCode)
    comparison.difference = fmt::format("it ends with {}, the original with {}",
                                        howItEnded(after.exitCode), howItEnded(before.exitCode));
  return comparison;
}

/// Of runs that were ended, what both have made.
Result<void> keepCommon(CopiesOfRun &before, CopiesOfRun &after, const TraceOptions &running,
                        Verification &verification) {
  if (!before.isEnded && !after.isEnded)
    return {};
  verification.endedAfter = 2 * running.wholeFor;
  const std::size_t common = std::min(before.copies.size(), after.copies.size());
  before.copies.resize(common);
  after.copies.resize(common);
  if (common != 0)
    return {};
  return fail(
      Code::NothingComparable,
      fmt::format("a run on the CPU takes more than {} s and copies nothing back until then, "
                  "so nothing was compared; give arguments of a smaller run",
                  verification.endedAfter.count()));
}

} // namespace

Result<Verification> runAndCompare(const HostProgram &original, const HostProgram &rewritten,
                                   const std::vector<std::string> &arguments,
                                   const InstallPaths &paths, const TraceOptions &running) {
  Verification verification;
  verification.sparse = running.sparse;
  for (const unsigned workers : {0u, 1u}) {
    auto before = runForCopies(original, arguments, running, workers);
    if (!before)
      return tl::unexpected(before.error());
    auto after = runRewritten(rewritten, arguments, running, workers, before->took);
    if (!after)
      return tl::unexpected(after.error());
    if (auto common = keepCommon(*before, *after, running, verification); !common)
      return tl::unexpected(common.error());
    OriginalCopies expected;
    expected.add(before->copies);
    if (auto comparable = expected.requireComparable(); !comparable)
      return tl::unexpected(comparable.error());
    verification.comparison = compare(expected, *before, *after);
    verification.exitCode = before->exitCode;
    verification.serial = workers == 1;
    // A difference may come from the order of the blocks, even where two runs of one program agree:
    // only what differs with the blocks in order is the rewrite's.
    if (verification.comparison.identical())
      break;
    if (!verification.serial)
      continue;
    // Nor is what the original itself does not repeat: it may read a clock, addresses, or memory
    // that it never wrote.
    TraceOptions repeating = running;
    repeating.otherHeap = true;
    auto again = runForCopies(original, arguments, repeating, workers);
    if (!again)
      return tl::unexpected(again.error());
    if (again->isEnded)
      again->copies.resize(std::min(again->copies.size(), before->copies.size()));
    expected.add(again->copies);
    if (auto comparable = expected.requireComparable(); !comparable)
      return tl::unexpected(comparable.error());
    verification.comparison = compare(expected, *before, *after);
    if (after->exitCode != before->exitCode && expected.compareWith(after->copies).identical() &&
        endsAtRandom(original, arguments, running, before->exitCode)) {
      verification.comparison = expected.compareWith(after->copies);
      verification.endsAtRandom = true;
    }
    if (!running.sparse && !expected.compareWith(after->copies).identical())
      verification.undefined = undefinedResults(original, arguments, running, paths, expected,
                                                after->copies, before->took);
  }
  return verification;
}

Result<Verification> insteadOfGpu(const Error &notComparable, Result<Verification> onCpu) {
  if (onCpu) {
    onCpu->whyNotGpu = notComparable.text;
    return onCpu;
  }
  Error error = notComparable;
  error.notes.push_back({{}, "nor can they be compared on the CPU: " + onCpu.error().text});
  return tl::unexpected(std::move(error));
}

namespace {

/// The results of the original are no measure for those of another layout.
Error undefinedError(const std::string &difference, const UndefinedResults &original) {
  if (!original.where.file.empty())
    return {Code::NothingComparable,
            fmt::format("not verified: {}, and the original has an index here that is beyond the "
                        "end of its array, where another layout has something else",
                        difference),
            original.where,
            {{{}, "keep the index inside the array"}}};
  return {
      Code::NothingComparable,
      fmt::format("not verified: {}, and so has the original where {}", difference, original.why),
      {},
      {{{},
        "it may use memory after it freed it, values that it never set, or indices outside of "
        "its arrays"}}};
}

} // namespace

Result<std::string> verdict(const Verification &verification, const OutputCheck &check) {
  const CopyComparison &comparison = verification.comparison;
  if (!comparison.identical() && verification.sparse)
    return fail(
        Code::CopiesDiffer,
        fmt::format("not verified: {}; as the program takes too long on the CPU, most blocks "
                    "of its launches were left out, and what others read of these may depend "
                    "on the layout; give arguments of a smaller run",
                    *comparison.difference));
  if (!comparison.identical() && verification.undefined)
    return tl::unexpected(undefinedError(*comparison.difference, *verification.undefined));
  if (!comparison.identical())
    return fail(
        Code::CopiesDiffer,
        fmt::format("the rewritten program computes something else: {}", *comparison.difference),
        {}, {{{}, "this is a fault of relayout, do not use the result"}});
  std::string text = fmt::format(
      "{}verified{}{}: {}", check.isConclusive() && !verification.unexecuted.areAll ? "" : "not ",
      verification.isPartial() ? " in part" : "",
      verification.gpu.empty() ? "" : " on " + verification.gpu, describe(comparison));
  if (const UnexecutedChanges &unexecuted = verification.unexecuted; !unexecuted.arrays.empty())
    text += fmt::format(
        "\n{} accessed in this run, so {} was compared; give arguments of a run that "
        "uses {}: {}",
        unexecuted.areAll ? "no rewritten array is" : "not all rewritten arrays are",
        unexecuted.areAll ? "nothing that was changed" : "not all that was changed",
        unexecuted.arrays.size() == 1 ? "it" : "them", fmt::join(unexecuted.arrays, ", "));
  if (verification.sparse)
    text +=
        "\nin both programs the same few blocks of each launch ran, as a whole run takes too long "
        "on the CPU; arguments of a smaller run verify all of it";
  if (verification.endedAfter.count() != 0)
    text +=
        fmt::format("\nthese are the copies that both made before they were ended, after {} s or "
                    "where they failed for want of results",
                    verification.endedAfter.count());
  if (verification.endsAtRandom)
    text += "\nthe exit code is another in each run";
  else if (verification.exitCode != 0)
    text += fmt::format("\nboth ended with {}", howItEnded(verification.exitCode));
  if (!verification.whyNotGpu.empty())
    text += fmt::format("\ncompared on the CPU: on the GPU, {}", verification.whyNotGpu);
  if (verification.serial && comparison.varying == 0)
    text +=
        "\nwhat the program computes depends on the order of its blocks: both were compared with "
        "their blocks in order";
  text += "\n" + check.describe();
  if (!check.isConclusive())
    text += fmt::format("; {} could not be compiled by its own compiler", check.findings.size());
  return text;
}

Result<trace::TraceHandle> readUsableTrace(const std::string &path) {
  auto trace = trace::TraceHandle::open(path);
  if (!trace || (*trace)->launchesExecuted != 0)
    return trace;
  if (const Result<void> complete = trace->requireComplete(); !complete)
    return tl::unexpected(complete.error());
  std::vector<Note> notes;
  for (const trace::Kernel &kernel : (*trace)->sites.kernels)
    notes.push_back({kernel.place, fmt::format("'{}' was not launched", kernel.name)});
  return fail(Code::NothingLaunched,
              fmt::format("'{}' holds no kernel launch: the program ran, but launched "
                          "nothing; give it arguments with which it does",
                          path),
              {}, std::move(notes));
}

} // namespace relayout::tool
