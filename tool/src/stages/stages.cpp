// SPDX-License-Identifier: Apache-2.0
// The steps that several subcommands share, each over files that stay on disk.
#include "stages/stages.h"

#include "relayout/base/run_parallel.h"
#include "relayout/trace/reader.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

namespace relayout::tool {

instrument::CompileCommand inFolder(const instrument::CompileCommand &command,
                                    const instrument::SourceSet &sources,
                                    const std::string &folder) {
  instrument::CompileCommand moved = command;
  moved.file = folder + "/" + sources.files.front().relativePath;
  for (std::string &file : moved.more)
    for (const instrument::SourceText &source : sources.files)
      if (std::filesystem::weakly_canonical(file) == source.originalPath) {
        file = folder + "/" + source.relativePath;
        break;
      }
  return moved;
}

Result<HostProgram> lowerToFolder(const instrument::CompileCommand &command,
                                  instrument::Probes probes, const std::string &folder,
                                  std::vector<Diagnostic> &findings) {
  auto lowered = instrument::lowerForHost(command, probes);
  if (!lowered)
    return tl::unexpected(lowered.error());
  findings.insert(findings.end(), lowered->model.findings.begin(), lowered->model.findings.end());
  return writeHostProgram(*lowered, command, folder);
}

Result<void> buildBoth(const HostProgram &first, const HostProgram &second,
                       const InstallPaths &paths) {
  const std::array programs = {&first, &second};
  std::array<Result<void>, 2> built;
  runParallel(programs.size(), 0,
              [&](std::size_t i) { built[i] = buildHostProgram(*programs[i], paths); });
  return built[0] ? built[1] : built[0];
}

namespace {

Result<std::vector<trace::CopyDigest>> runForCopies(const HostProgram &program,
                                                    const std::vector<std::string> &arguments,
                                                    unsigned workers) {
  const std::string traceFile = program.folder + "/copies.rlt";
  TraceOptions options;
  options.mode = "counts";
  options.workers = workers;
  if (auto run =
          runHostProgram(program, arguments, traceFile, options, program.folder + "/output.txt");
      !run)
    return tl::unexpected(run.error());
  auto trace = trace::readTrace(traceFile);
  if (!trace)
    return tl::unexpected(trace.error());
  return std::move(trace->copies);
}

} // namespace

Result<Verification> runAndCompare(const HostProgram &original, const HostProgram &rewritten,
                                   const std::vector<std::string> &arguments) {
  Verification verification;
  for (const unsigned workers : {0u, 1u}) {
    auto before = runForCopies(original, arguments, workers);
    if (!before)
      return tl::unexpected(before.error());
    if (before->empty())
      return fail(Code::NothingCopiedBack,
                  fmt::format("'{}' copies nothing from device to host, so there is nothing to "
                              "compare; copy the results back",
                              original.source));
    auto after = runForCopies(rewritten, arguments, workers);
    if (!after)
      return tl::unexpected(after.error());
    verification.comparison = compareCopies(*before, *after);
    verification.serial = workers == 1;
    if (verification.comparison.identical() || verification.serial)
      break;
    // A second opinion on the original: does it even agree with itself?
    auto again = runForCopies(original, arguments, workers);
    if (!again)
      return tl::unexpected(again.error());
    if (compareCopies(*before, *again).identical())
      break;
  }
  return verification;
}

Result<std::string> verdict(const Verification &verification) {
  const CopyComparison &comparison = verification.comparison;
  if (!comparison.identical())
    return fail(Code::CopiesDiffer,
                fmt::format("the rewritten program computes something else: {}; this is "
                            "a fault of relayout, do not use the result",
                            *comparison.difference));
  std::string text =
      fmt::format("verified: {} {}, {} bytes, identical", comparison.copies,
                  comparison.copies == 1 ? "copy" : "copies", grouped(comparison.bytes));
  if (comparison.paddingBytes != 0)
    text += fmt::format(" ({} bytes of record padding left out)", grouped(comparison.paddingBytes));
  if (verification.serial)
    text += "\nthe original differs from itself when its blocks run concurrently: both were "
            "compared with their blocks in order";
  return text;
}

Result<trace::TraceHandle> readUsableTrace(const std::string &path) {
  auto trace = trace::TraceHandle::open(path);
  if (!trace || (*trace)->launchesExecuted != 0)
    return trace;
  if (const Result<void> complete = trace->requireComplete(); !complete)
    return tl::unexpected(complete.error());
  return fail(Code::NothingLaunched,
              fmt::format("'{}' holds no kernel launch: the program ran, but launched "
                          "nothing; give it arguments with which it does",
                          path));
}

std::string grouped(unsigned long long number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0)
      text += ',';
    text += digits[i];
  }
  return text;
}

} // namespace relayout::tool
