// SPDX-License-Identifier: Apache-2.0
// Policy replay: what the cost model knows of a GPU, as measured on one (docs/policy-replay.md).
#pragma once

#include "relayout/analysis/gpu/architecture.h"
#include "relayout/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace relayout::analysis {

/// A GPU: its family, its sizes and its rates. Rates are those of the whole chip unless the name
/// says otherwise.
struct Machine {
  std::string name;
  std::string computeCapability; ///< "9.0"; tells the family; may be empty
  Architecture architecture;
  bool isCalibrated = true; ///< false: its rates are published figures, or derived from them
  std::uint32_t sms = 0;
  std::uint32_t threadsPerSm = 0;
  std::uint32_t blocksPerSm = 0;
  std::uint64_t l1Bytes = 0; ///< L1 and shared memory together, of one SM
  std::uint64_t l2Bytes = 0;
  std::uint64_t l2ScatteredBytes = 0; ///< largest scattered working set that still hits in L2
  double dramBytesPerNs = 0;          ///< streams, reads and writes together
  double dramScatteredGranulesPerNs = 0;
  double l2ReadSectorsPerNs = 0;          ///< four sectors of a line at a time
  double l2ScatteredReadSectorsPerNs = 0; ///< one at a time
  double l2WriteSectorsPerNs = 0;
  double l2ScatteredWriteSectorsPerNs = 0;
  double wavefrontsPerNsPerSm = 0;   ///< of L1
  double instructionsPerNsPerSm = 0; ///< warp instructions
  double launchNs = 0;               ///< from the end of one kernel to the start of the next
  double blockStartNs = 0;           ///< between two blocks started on one SM
  double l1LatencyNs = 0;
  double l2LatencyNs = 0;
  double dramLatencyNs = 0;
  double copyBytesPerNs = 0; ///< of the kernels that convert between layouts

  /// How many times as far off a predicted ratio may be as on a GPU that the model was compared
  /// with.
  [[nodiscard]] double errorFactor() const;
};

/// Why predictions for this GPU are less sure than others, a sentence each; empty: they are not.
[[nodiscard]] std::vector<std::string> reservationsAbout(const Machine &machine);

/// "NVIDIA L40S (not calibrated)".
[[nodiscard]] std::string describe(const Machine &machine);

/// \error RL-M01 not a machine file, or a constant is missing or not positive
[[nodiscard]] Result<Machine> machineFromJson(std::string_view json);

[[nodiscard]] std::string toJson(const Machine &machine);

} // namespace relayout::analysis
