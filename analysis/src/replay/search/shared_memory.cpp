// SPDX-License-Identifier: Apache-2.0
// Bytes of a block's arrays under layouts, and the blocks that an SM has room for.
#include "replay/search/shared_memory.h"

#include "replay/stream/residency.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace relayout::analysis {
namespace {

/// Of a variable, which is aligned as its planes are.
std::optional<std::uint64_t> variableBytes(const ReplayArray &array, const trace::Record &record,
                                           const Layout &layout) {
  const Result<AddressFunction> bound =
      AddressFunction::bind(layout, layoutFields(record), array.elements);
  if (!bound)
    return std::nullopt;
  const bool isWhole = layout.tile == 0;
  const std::uint64_t bytes =
      isWhole ? bound->totalBytes()
              : (array.elements + layout.tile - 1) / layout.tile * bound->blockBytes();
  const std::uint64_t alignment =
      isWhole && layout.startAlignment != 0 ? layout.startAlignment : kPlaneAlignment;
  return (bytes + alignment - 1) / alignment * alignment;
}

/// By group in shared memory, how much larger its largest array in the kernel becomes; none: that
/// is not known.
std::optional<std::uint64_t> growthIn(const trace::Trace &trace, const ReplaySample &sample,
                                      const KernelSample &kernel,
                                      const std::vector<std::optional<Layout>> &chosen) {
  std::map<trace::Index, std::uint64_t> growths;
  for (const AccessSet &set : sample.stream.kernels[kernel.kernel].accessSets) {
    const ReplayArray &array = sample.stream.arrays[set.array];
    if (!trace::isInSharedMemory(trace.sites, array.group) || !chosen[array.group])
      continue;
    const trace::Record &record = trace.sites.records[trace.sites.groups[array.group].record];
    const auto bytes = variableBytes(array, record, *chosen[array.group]);
    if (!bytes)
      return std::nullopt;
    const std::uint64_t before = array.elements * record.bytes;
    std::uint64_t &most = growths[array.group];
    most = std::max(most, *bytes > before ? *bytes - before : 0);
  }
  std::uint64_t all = 0;
  for (const auto &[group, growth] : growths)
    all += growth;
  return all;
}

/// Of a block's variables; 0: not known.
std::uint64_t staticBytes(const trace::Trace &trace, trace::Index kernel) {
  const auto row =
      std::ranges::find(trace.sites.kernels, trace.kernels[kernel], &trace::Kernel::name);
  return row == trace.sites.kernels.end() ? 0 : row->staticSharedBytes;
}

std::uint64_t residentBlocks(const trace::Launch &launch, std::uint32_t registers,
                             const Machine &machine) {
  const std::uint64_t most = machine.architecture.sharedSizes.back();
  return std::min<std::uint64_t>(
      residency(launch, registers, machine).blocks,
      most / (launch.sharedBytes + machine.architecture.reservedSharedBytes));
}

bool fitsIn(const trace::Trace &trace, const ReplaySample &sample, const Machine &machine,
            trace::Index kernel, std::uint64_t growth) {
  const std::uint64_t before = staticBytes(trace, kernel);
  if (growth == 0)
    return true;
  if (before == 0 || before + growth > kMostStaticSharedBytes)
    return false;
  const std::uint32_t registers = registersOf(trace, sample.stream.code, kernel);
  std::set<std::pair<decltype(trace::Launch::block), std::uint64_t>> seen;
  return std::ranges::all_of(trace.launches, [&](trace::Launch launch) {
    if (launch.kernel != kernel || !seen.insert({launch.block, launch.sharedBytes}).second)
      return true;
    launch.sharedBytes += before;
    const std::uint64_t blocks = residentBlocks(launch, registers, machine);
    launch.sharedBytes += growth;
    return residentBlocks(launch, registers, machine) >= blocks;
  });
}

} // namespace

bool fitsSharedMemory(const trace::Trace &trace, const ReplaySample &sample, const Machine &machine,
                      std::vector<std::optional<Layout>> chosen, trace::Index group,
                      const Layout &layout) {
  chosen[group] = layout;
  return std::ranges::all_of(sample.kernels, [&](const KernelSample &kernel) {
    if (!kernel.usesGroup[group])
      return true;
    const auto growth = growthIn(trace, sample, kernel, chosen);
    return growth && fitsIn(trace, sample, machine, kernel.kernel, *growth);
  });
}

} // namespace relayout::analysis
