// SPDX-License-Identifier: Apache-2.0
// Holds a sparse run of a small size against a whole one, and runs the real size sparsely.
#include "stages/sparse_run.h"

#include "stages/stages.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>
#include <tuple>

namespace relayout::tool {
namespace {

/// Few, so that even a small run leaves blocks out.
constexpr unsigned kComparedBlocks = 1;

/// Where a warp access stands: launch, block, warp, order.
using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint64_t>;

struct Access {
  std::uint32_t site = 0;
  std::uint32_t mask = 0;
  std::array<std::uint64_t, trace::kWarpLanes> addresses{};

  bool operator==(const Access &) const = default;
};

Result<std::map<Place, Access>> accessesOf(const trace::TraceHandle &trace) {
  std::map<Place, Access> accesses;
  auto read = trace.accesses()([&](const trace::WarpAccess &access) {
    accesses.emplace(Place{access.launch, access.block, access.warp, access.order},
                     Access{access.site, access.activeMask, access.addresses});
    return true;
  });
  if (!read)
    return tl::unexpected(read.error());
  return accesses;
}

SourcePlace placeOf(const trace::Trace &trace, std::uint32_t site) {
  const auto found = trace::findSite(trace.sites, site);
  return found ? trace.sites.sites[*found].place : SourcePlace{};
}

/// \error RL-T09 an access of the sparse run is another one in the whole run, or none was compared
Result<void> requireSameAccesses(const trace::TraceHandle &whole,
                                 const trace::TraceHandle &sparse) {
  if (sparse->launchesExecuted != whole->launchesExecuted ||
      sparse->blocksExecuted != whole->blocksExecuted)
    return fail(Code::NotSparselyTraceable,
                fmt::format("what the program launches depends on what its kernels compute; got {} "
                            "launches where blocks are left out, needed {} as without",
                            sparse->launchesExecuted, whole->launchesExecuted));
  const auto expected = accessesOf(whole);
  if (!expected)
    return tl::unexpected(expected.error());
  std::uint64_t compared = 0;
  std::optional<Error> difference;
  auto read = sparse.accesses()([&](const trace::WarpAccess &access) {
    const auto at = expected->find({access.launch, access.block, access.warp, access.order});
    if (at == expected->end())
      return true; // beyond what the whole run had room for
    ++compared;
    if (at->second == Access{access.site, access.activeMask, access.addresses})
      return true;
    difference = Error{Code::NotSparselyTraceable,
                       fmt::format("what '{}' accesses depends on what other blocks compute",
                                   sparse->kernels[sparse->launches[access.launch].kernel]),
                       placeOf(*sparse, access.site),
                       {}};
    return false;
  });
  if (!read)
    return tl::unexpected(read.error());
  if (difference)
    return tl::unexpected(std::move(*difference));
  if (compared == 0 || sparse->blocksSampled == sparse->blocksExecuted)
    return fail(Code::NotSparselyTraceable,
                fmt::format("the small run cannot show that a block's accesses do not depend on "
                            "other blocks; got {} of {} blocks that could be left out, needed one",
                            sparse->blocksExecuted - sparse->blocksSampled,
                            sparse->blocksExecuted));
  return {};
}

struct TracedRun {
  trace::TraceHandle trace;
  std::optional<Error> failure; ///< of a sparse run that ended in order: results are missing
};

Result<TracedRun> traceOf(const HostProgram &traced, const std::vector<std::string> &arguments,
                          const TraceOptions &tracing, const std::string &stem) {
  auto ran = runHostProgram(traced, arguments, stem + ".rlt", tracing, stem + ".txt");
  if (!ran && (!tracing.sparse || ran.error().code != Code::ProgramFailed))
    return tl::unexpected(ran.error());
  auto trace = readUsableTrace(stem + ".rlt");
  if (!ran && (!trace || !(*trace)->complete))
    return tl::unexpected(ran.error());
  if (!trace)
    return tl::unexpected(trace.error());
  TracedRun result{*trace, std::nullopt};
  if (!ran)
    result.failure = ran.error();
  else if (tracing.sparse && *ran != 0)
    result.failure = Error{Code::ProgramFailed,
                           fmt::format("a run of which most blocks are left out ended with "
                                       "exit code {}",
                                       *ran),
                           {},
                           {}};
  return result;
}

Result<trace::TraceHandle> checkAndTrace(const HostProgram &traced, const SparseRun &run) {
  TraceOptions tracing = run.tracing;
  tracing.wholeFor = {};
  tracing.sampleBlocks = kComparedBlocks;
  auto whole = traceOf(traced, run.smallArguments, tracing, run.folder + "/small-whole");
  if (!whole)
    return tl::unexpected(whole.error());
  tracing.sparse = true;
  auto sparse = traceOf(traced, run.smallArguments, tracing, run.folder + "/small-sparse");
  if (!sparse)
    return tl::unexpected(sparse.error());
  if (auto same = requireSameAccesses(whole->trace, sparse->trace); !same)
    return tl::unexpected(same.error());
  tracing.sampleBlocks = run.tracing.sampleBlocks;
  auto real = traceOf(traced, run.realArguments, tracing, run.folder + "/real");
  if (!real)
    return tl::unexpected(real.error());
  // A program that checks its results finds them missing; the small run has shown that it does so
  // after its last launch.
  if (real->failure && !sparse->failure)
    return tl::unexpected(std::move(*real->failure));
  return real->trace;
}

} // namespace

Result<trace::TraceHandle> traceSparsely(const HostProgram &traced, const SparseRun &run) {
  auto trace = checkAndTrace(traced, run);
  if (!trace)
    trace.error().code = Code::NotSparselyTraceable;
  return trace;
}

} // namespace relayout::tool
