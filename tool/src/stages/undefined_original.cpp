// SPDX-License-Identifier: Apache-2.0
// Runs a program again in ways that change nothing which it may rely on.
#include "stages/undefined_original.h"

#include <algorithm>
#include <filesystem>

namespace relayout::tool {
namespace {

namespace fs = std::filesystem;

/// What a build without optimisation may take longer.
constexpr int kTimesSlower = 30;
constexpr std::chrono::seconds kOfSeconds{20};

bool computesSomethingElse(const HostProgram &program, const std::vector<std::string> &arguments,
                           const TraceOptions &options, const CopiesOfRun &before) {
  const auto again = runForCopies(program, arguments, options, 1);
  if (!again || again->isEnded) // a build without optimisation may only have taken too long
    return options.fillsFreed;
  return !std::ranges::equal(before.copies, again->copies,
                             [](const trace::CopyDigest &a, const trace::CopyDigest &b) {
                               return a.bytes == b.bytes && a.digest == b.digest;
                             });
}

/// The same sources, in a folder of their own.
Result<HostProgram> unoptimised(const HostProgram &program, const InstallPaths &paths) {
  HostProgram other = program;
  other.folder += "-unoptimised";
  for (instrument::LoweredUnit &unit : other.units)
    unit.flags.emplace_back("-O0");
  std::error_code status;
  fs::copy(program.folder, other.folder,
           fs::copy_options::recursive | fs::copy_options::overwrite_existing, status);
  if (auto built = buildHostPrograms({&other}, paths); !built)
    return tl::unexpected(built.error());
  return other;
}

} // namespace

bool isUndefined(const HostProgram &program, const std::vector<std::string> &arguments,
                 const TraceOptions &running, const InstallPaths &paths,
                 const CopiesOfRun &before) {
  if (before.isEnded)
    return false;
  TraceOptions options = running;
  options.limit = kTimesSlower * before.took + kOfSeconds;
  options.fillsFreed = true;
  if (computesSomethingElse(program, arguments, options, before))
    return true;
  options.fillsFreed = false;
  const Result<HostProgram> other = unoptimised(program, paths);
  return other && computesSomethingElse(*other, arguments, options, before);
}

} // namespace relayout::tool
