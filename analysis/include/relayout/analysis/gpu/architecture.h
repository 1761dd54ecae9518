// SPDX-License-Identifier: Apache-2.0
// The structure of a GPU family: what its chips have in common, rates left out.
#pragma once

#include "relayout/analysis/gpu/geometry.h"
#include "relayout/base/result.h"

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace relayout::analysis {

/// Which of the four banks of L1's tags holds a line: the parities of some bits of its address.
struct TagBanks {
  std::uint64_t lowBits = 0;
  std::uint64_t highBits = 0;

  [[nodiscard]] unsigned of(std::uint64_t address) const {
    return static_cast<unsigned>(std::popcount(address & lowBits) & 1) |
           static_cast<unsigned>(std::popcount(address & highBits) & 1) << 1;
  }
};

/// A family, as analysis/architectures/NAME.json describes it. What all families share is in
/// geometry.h.
struct Architecture {
  std::string name;
  bool isKnown = false;    ///< false: another family's structure stands in for it
  bool isMeasured = false; ///< predictions were compared with counters and times of one of its GPUs
  std::vector<std::string> computeCapabilities;
  TagBanks tagBanks;
  /// What DRAM opens at once: scattered granules are limited by how often it does.
  std::uint32_t rowBytes = 0;
  std::uint32_t gpcs = 0; ///< of the family's usual chip; their SMs ask L2 together
  /// Results of one SM: of threads that compute in double precision, or a special function.
  double doublesACycle = 0;
  double specialsACycle = 0;
  std::uint64_t registersPerSm = 0;
  std::uint64_t registersAtOnce = 0;     ///< of a thread, as they are allocated
  std::uint64_t reservedSharedBytes = 0; ///< of each block, by the CUDA runtime
  /// What an SM sets aside of L1 as shared memory: the least that all resident blocks need.
  std::vector<std::uint64_t> sharedSizes;
  double mostSharedPart = 0; ///< of L1; the rest always stays a cache
};

/// Families that relayout comes with, by name.
[[nodiscard]] const std::vector<Architecture> &architectures();

/// The family of a compute capability ("9.0"); of one that no file describes, Hopper's structure
/// with isKnown = false.
[[nodiscard]] Architecture architectureOf(std::string_view computeCapability);

/// \error RL-M01 not an architecture file, a value is missing, or one differs from geometry.h
[[nodiscard]] Result<Architecture> architectureFromJson(std::string_view json);

} // namespace relayout::analysis
