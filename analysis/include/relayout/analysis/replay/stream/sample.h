// SPDX-License-Identifier: Apache-2.0
// Policy replay: the part of a trace that is kept in memory, to be replayed once a candidate.
#pragma once

#include "relayout/analysis/replay/stream/kernel_scale.h"
#include "relayout/analysis/replay/stream/warp_stream.h"

#include <vector>

namespace relayout::analysis {

struct SampleOptions {
  std::uint64_t maxBundles = 250'000; ///< kept, over all kernels
  RunScale run;
};

/// The waves of one kernel that were kept, and how to scale them up.
struct KernelSample {
  trace::Index kernel = trace::kNone;
  std::vector<Wave> waves;
  std::uint64_t bundles = 0;
  KernelScale scale;
  std::vector<bool> usesGroup; ///< by group
  double unsampled = 0;        ///< as unsampledPart() tells: what is replayed leaves it out
  /// Of managed arrays that this kernel is the first to use: their pages come while it runs.
  std::uint64_t migratedBytes = 0;
};

struct ReplaySample {
  WarpStream stream;
  std::vector<KernelSample> kernels; ///< those with recorded accesses, in trace order
  RunScale run;
};

/// Keeps a bounded number of bundles: first fewer warps' ends, then fewer waves of a kernel that
/// was launched often. What is kept does not depend on the number of threads.
/// \error as forEachWave
[[nodiscard]] Result<ReplaySample> collectSample(const trace::Trace &trace,
                                                 const trace::AccessSource &accesses,
                                                 const Machine &machine,
                                                 const SampleOptions &options);

/// A smaller sample of a sample, for a first look.
[[nodiscard]] ReplaySample coarser(const trace::Trace &trace, const ReplaySample &sample,
                                   const Machine &machine, std::uint64_t maxBundles);

/// The same sample, of a run of another scale.
[[nodiscard]] ReplaySample rescaled(const trace::Trace &trace, const ReplaySample &sample,
                                    const Machine &machine, const RunScale &run);

/// What of a kernel's warp accesses is at sites of which not one address was recorded, 0 to 1.
[[nodiscard]] double unsampledPart(const trace::Trace &trace, trace::Index kernel);

} // namespace relayout::analysis
