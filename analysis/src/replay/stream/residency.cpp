// SPDX-License-Identifier: Apache-2.0
// Blocks of an SM from its limits.
#include "replay/stream/residency.h"

#include <algorithm>

namespace relayout::analysis {

std::uint32_t registersOf(const trace::Trace &trace, const ProgramCode &code, trace::Index kernel) {
  const auto row =
      std::ranges::find(trace.sites.kernels, trace.kernels[kernel], &trace::Kernel::name);
  return row == trace.sites.kernels.end()
             ? 0
             : code.kernels[static_cast<std::size_t>(row - trace.sites.kernels.begin())].registers;
}

Residency residency(const trace::Launch &launch, std::uint32_t registers, const Machine &machine) {
  const Architecture &family = machine.architecture;
  const std::uint64_t threads = std::max<std::uint64_t>(
      std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2], 1);
  const std::uint64_t perBlock = launch.sharedBytes + family.reservedSharedBytes;
  std::uint64_t blocks = std::min<std::uint64_t>(
      machine.blocksPerSm, std::max<std::uint64_t>(machine.threadsPerSm / threads, 1));
  blocks = std::clamp<std::uint64_t>(machine.l1Bytes / perBlock, 1, blocks);
  if (registers != 0) {
    const std::uint64_t ofThread = (std::uint64_t{registers} + family.registersAtOnce - 1) /
                                   family.registersAtOnce * family.registersAtOnce;
    const std::uint64_t ofBlock = warpsOf(threads) * kWarpThreads * ofThread;
    blocks = std::clamp<std::uint64_t>(family.registersPerSm / ofBlock, 1, blocks);
  }
  const auto shared = std::ranges::lower_bound(family.sharedSizes, perBlock * blocks);
  const auto most =
      static_cast<std::uint64_t>(family.mostSharedPart * static_cast<double>(machine.l1Bytes));
  return {
      static_cast<std::uint32_t>(blocks),
      machine.l1Bytes -
          std::min(shared == family.sharedSizes.end() ? family.sharedSizes.back() : *shared, most)};
}

} // namespace relayout::analysis
