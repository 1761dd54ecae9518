// SPDX-License-Identifier: Apache-2.0
// The compiler that is modelled: nvcc 13.0 with -O3 for sm_90. Every constant that tells what it
// makes of a program; GPUs of other families are predicted with them too.
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

/// From an element's number to its place.
struct Placing {
  std::uint32_t instructions = 0; ///< issue slots: a multiplication takes two
  double cycles = 0;              ///< until the place is known: each instruction needs the last
  double cyclesBehindAnother = 0; ///< the same where other places are computed meanwhile
};

/// Cycles from an integer instruction of a warp to one that needs its result.
inline constexpr double kDependentCycles = 4.5;

[[nodiscard]] constexpr Placing placingInTile(std::uint64_t tile) {
  const std::uint32_t instructions = tileInstructions(tile);
  return {instructions, instructions * kDependentCycles, static_cast<double>(instructions)};
}

/// Taking a digit of an element's number, and putting it elsewhere.
/// \param isConstant  else a reciprocal that the view has from its allocation divides
/// \source tests/gpu/microarchitecture/placing.cu on an H200: chains of loads (cycles: 13.5, 16 to
///         28, 24), walks of 32 warps an SM through nine values a record (slots: 8.9, 11.7) and of
///         one (cycles behind another: 13, 19); the slots of shifts are counted, not measured
[[nodiscard]] constexpr Placing placingOfDigit(std::uint64_t extent, bool isConstant) {
  constexpr Placing kShifts{3, 13.5, 6};
  constexpr Placing kConstant{9, 22, 13};
  constexpr Placing kVariable{12, 24, 19};
  if (!isConstant)
    return kVariable;
  return std::has_single_bit(extent) ? kShifts : kConstant;
}

/// One, a use of each value, and a half for each pointer.
[[nodiscard]] constexpr std::uint32_t besideAccesses(std::uint32_t values, std::size_t pointers) {
  return 1 + values + static_cast<std::uint32_t>(pointers + 1) / 2;
}

// Straight-line code.

/// Iterations of a loop of unknown length that are scheduled together.
inline constexpr std::uint32_t kUnrolled = 4;
/// Longer loops of constant length stay loops.
inline constexpr std::uint32_t kMostWhole = 32;
/// Nodes of a syntax tree that still become conditional instructions.
inline constexpr std::uint32_t kMostPredicated = 24;

// Registers of a thread.

/// Addresses and intermediate results.
/// \source ptxas for sm_90 of 20 kernels of samples/: see docs/policy-replay.md
inline constexpr std::uint32_t kTemporaries = 10;
inline constexpr std::uint32_t kMostRegisters = 255;
/// What an estimate may have of a kernel's registers: 37 of 44.
inline constexpr double kLeastEstimated = 0.84;

// Instructions of an operation, counted in SASS.

inline constexpr double kFloatDivision = 8;
inline constexpr double kDoubleDivision = 12;
inline constexpr double kIntegerDivision = 16;
inline constexpr double kDivisionByConstant = 4;
inline constexpr double kUntracedAccess = 2; ///< an address and the access
inline constexpr double kIteration = 0.5;    ///< of a loop that is unrolled
inline constexpr double kUnknownCall = 4;
inline constexpr double kDoubleFunction = 1.5; ///< in double precision for one in single

} // namespace relayout::analysis::nvcc13
