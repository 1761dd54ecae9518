// SPDX-License-Identifier: Apache-2.0
// The compiler that is modelled: nvcc 13.0 with -O3 for sm_90. What it makes of the accesses of a
// bundle; GPUs of other families are predicted with it too.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace relayout::analysis::nvcc13 {

// Loads.

/// Registers of 4 bytes that the loads of a warp fill before it waits for them: loads are moved up
/// about so far. Compared with the L2 sectors of samples/himeno and samples/stencil.
inline constexpr std::uint32_t kRegistersInFlight = 32;

/// Elements that a warp has values of in registers at a time.
inline constexpr std::size_t kOpenBundles = 8;

/// Vector accesses of a lane, the widest first.
inline constexpr std::array<std::uint32_t, 2> kVectorBytes{16, 8};

/// A load that wants three of four words takes the fourth as well, wherever it lies behind the
/// first: all is aligned memory of one element.
/// \source machine code for the subsets of four floats, and some of eight
[[nodiscard]] constexpr bool isNearlyFourWords(std::uint32_t unitBytes, std::uint32_t wanted) {
  constexpr std::uint32_t kWord = 4;
  constexpr std::uint32_t kThreeWords = 12;
  return unitBytes == kWord && wanted == kThreeWords;
}

// Instructions beside the accesses of a bundle. Measured: executed instructions of the loops of
// tests/gpu/layout_bench.cu.

/// Block and lane: a shift and a mask, or a multiplication by the reciprocal of a constant and its
/// remainder; then the block's offset is added.
[[nodiscard]] constexpr std::uint32_t tileInstructions(std::uint64_t tile) {
  constexpr std::uint32_t kShifts = 2;
  constexpr std::uint32_t kReciprocal = 5;
  if (tile == 0)
    return 0;
  return std::has_single_bit(tile) ? kShifts : kReciprocal;
}

/// One, a use of each value, and a half for each pointer.
[[nodiscard]] constexpr std::uint32_t besideAccesses(std::uint32_t values, std::size_t pointers) {
  return 1 + values + static_cast<std::uint32_t>(pointers + 1) / 2;
}

} // namespace relayout::analysis::nvcc13
