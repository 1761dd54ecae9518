// SPDX-License-Identifier: Apache-2.0
// Executor: what the environment asks of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace relayout::host {

enum class TraceMode { Full, Sampled, Counts };

struct Settings {
  std::string tracePath;                    ///< RELAYOUT_TRACE; empty: no trace
  TraceMode traceMode = TraceMode::Sampled; ///< RELAYOUT_TRACE_MODE
  std::uint64_t sampleBlocks = 32;          ///< RELAYOUT_SAMPLE_BLOCKS, a launch
  std::uint64_t maxBytes = 64u << 20;       ///< RELAYOUT_MAX_BYTES of address records
  bool sparse = false;                      ///< RELAYOUT_SPARSE=1: run sampled blocks alone
  std::vector<std::string> sparseKernels;   ///< RELAYOUT_SPARSE_KERNELS, a line each; empty: all
  unsigned sparseAfter = 0;                 ///< RELAYOUT_SPARSE_AFTER seconds; 0: never
  unsigned endAfter = 0;                    ///< RELAYOUT_END_AFTER seconds; 0: never
  bool endAtCrash = false;                  ///< RELAYOUT_END_AT_CRASH=1: of host code, in order
  bool fillFreed = false;                   ///< RELAYOUT_FILL_FREED=1: device memory, with bytes
  std::string outOfBoundsPath;              ///< RELAYOUT_OUT_OF_BOUNDS; empty: nobody asks
  unsigned workers = 1;                     ///< RELAYOUT_WORKERS; default all cores
  std::size_t stackBytes = 1u << 20;        ///< RELAYOUT_STACK_BYTES of each thread of a block

  /// Values that make no sense are reported on stderr and left at their defaults.
  static Settings fromEnvironment();
};

/// The process's settings, read once.
const Settings &settings();

} // namespace relayout::host
