// SPDX-License-Identifier: Apache-2.0
// Blocks of an SM from its limits.
#include "replay/stream/residency.h"

#include <algorithm>
#include <array>

namespace relayout::analysis {
namespace {

/// Shared memory that the runtime itself takes of each block.
constexpr std::uint64_t kReservedSharedBytes = 1024;

/// Registers of an SM since compute capability 3.5, and how many of a thread are given at once.
constexpr std::uint64_t kRegistersOfAnSm = 65536;
constexpr std::uint64_t kRegistersAtOnce = 8;

/// What an SM sets aside of L1 as shared memory: the least that all resident blocks need.
/// \source CUDA's programming guide, compute capability 9.0; measured: of the 2048 lines of an
/// H100,
///         1792 are left to a kernel of 32 blocks without shared memory, 1536 to one with some
constexpr std::array<std::uint64_t, 10> kSharedSizes{0,         8 << 10,   16 << 10,  32 << 10,
                                                     64 << 10,  100 << 10, 132 << 10, 164 << 10,
                                                     196 << 10, 228 << 10};

/// Of a thread, as the source lets expect; 0: not known.
std::uint32_t registersOf(const trace::Trace &trace, trace::Index kernel) {
  const auto row =
      std::ranges::find(trace.sites.kernels, trace.kernels[kernel], &trace::Kernel::name);
  return row == trace.sites.kernels.end() ? 0 : row->registers;
}

} // namespace

Residency residency(const trace::Trace &trace, const trace::Launch &launch,
                    const Machine &machine) {
  const std::uint64_t threads = std::max<std::uint64_t>(
      std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2], 1);
  const std::uint64_t perBlock = launch.sharedBytes + kReservedSharedBytes;
  std::uint64_t blocks = std::min<std::uint64_t>(
      machine.blocksPerSm, std::max<std::uint64_t>(machine.threadsPerSm / threads, 1));
  blocks = std::clamp<std::uint64_t>(machine.l1Bytes / perBlock, 1, blocks);
  if (const std::uint64_t registers = registersOf(trace, launch.kernel); registers != 0) {
    const std::uint64_t ofThread =
        (registers + kRegistersAtOnce - 1) / kRegistersAtOnce * kRegistersAtOnce;
    const std::uint64_t ofBlock = (threads + 31) / 32 * 32 * ofThread;
    blocks = std::clamp<std::uint64_t>(kRegistersOfAnSm / ofBlock, 1, blocks);
  }
  const auto *shared = std::ranges::lower_bound(kSharedSizes, perBlock * blocks);
  return {static_cast<std::uint32_t>(blocks),
          machine.l1Bytes -
              std::min(shared == std::end(kSharedSizes) ? kSharedSizes.back() : *shared,
                       machine.l1Bytes * 7 / 8)};
}

} // namespace relayout::analysis
