// SPDX-License-Identifier: Apache-2.0
// Policy replay: kernels whose time is that of one loop in which all lanes of a warp read the same
// elements of arrays, one after the other: all pairs of bodies, a table of points.
#pragma once

#include "relayout/analysis/replay/stream/sample.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace relayout::analysis {

struct WalkedArray {
  std::uint32_t array = 0;  ///< into WarpStream::arrays; others of its group are like it
  std::uint64_t leaves = 0; ///< that it may read; bit l: leaf l
};

struct WalkFacts {
  double iterations = 0;            ///< of the source's loop, of one warp
  double loadedBytes = 0;           ///< of a lane in an iteration, of all leaves that it may read
  bool doesConditionalLoads = true; ///< most iterations read all of these
  std::vector<WalkedArray> arrays;
};

/// \returns none for kernels that do more than that
[[nodiscard]] std::optional<WalkFacts> walkOf(const trace::Trace &trace, const ReplaySample &sample,
                                              const KernelSample &kernel);

} // namespace relayout::analysis
