// SPDX-License-Identifier: Apache-2.0
// GPU tracing: what the environment asks of it; the same variables as the CPU executor's.
#pragma once

#include "relayout/device/buffers.h"

#include <cstdint>
#include <string>

namespace relayout::gpu {

struct Settings {
  std::string tracePath;                                ///< RELAYOUT_TRACE; empty: no trace
  device::Sampling sampling = device::Sampling::Blocks; ///< RELAYOUT_TRACE_MODE
  std::uint64_t sampleBlocks = 32;                      ///< RELAYOUT_SAMPLE_BLOCKS, a launch
  std::uint64_t maxBytes = 128u << 20;                  ///< RELAYOUT_MAX_BYTES of address records
  std::uint32_t sampledSm = 0;                          ///< of RELAYOUT_TRACE_MODE=sm or sm:N
  std::uint64_t exitSeconds = 10; ///< RELAYOUT_EXIT_SECONDS to wait for kernels that still run
  bool useCupti = true;           ///< RELAYOUT_CUPTI=0: do without
  bool verbose = false;           ///< RELAYOUT_VERBOSE
  std::string problems;           ///< what made no sense, for the notes

  static Settings fromEnvironment();
};

} // namespace relayout::gpu
