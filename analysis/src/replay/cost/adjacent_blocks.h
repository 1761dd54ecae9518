// SPDX-License-Identifier: Apache-2.0
// Policy replay: what blocks that were not replayed together have in common.
#pragma once

#include "relayout/analysis/replay/cost/kernel_volume.h"

namespace relayout::analysis {

/// Granules from the first to the last that a launch touches: what a block spans moves on from
/// block to block, and the first and the last replayed one tell how far.
[[nodiscard]] double rangeOf(const ArrayTraffic &traffic, const KernelCounts &counts,
                             const KernelScale &scale);

/// What of the missed sectors others on the same SM have fetched, which blocks sampled far apart do
/// not show. Blocks are given to SMs as these become free, so two adjacent blocks meet on one of n
/// SMs in one of n cases, at the same time or one after the other, while L1 still holds what the
/// first one fetched. How many blocks want a sector follows from how much a block touches and how
/// far the next one is.
/// \returns sectors of those that were replayed
/// \source  the SMs of the blocks of a stream and of a gather, by distance
///          (tests/gpu/microarchitecture/sm_sharing.cu, placement)
[[nodiscard]] double sharedInL1(const KernelCounts &counts, const KernelScale &scale,
                                const Machine &machine);

/// What of the missed sectors L2 is asked for once for several SMs: merged in-flight misses. The
/// SMs of a GPC ask L2 together: what one has asked for and not got yet joins that request. So it
/// matters how many adjacent blocks are in one GPC and ask at the same time. They do so for what a
/// warp asks for as it starts; later on they have drifted apart, and those that gather have waited
/// for an index.
/// \param launchNs  what one launch takes
/// \returns sectors of those that were replayed
/// \source  pairs of SMs that read the same lines, by delay, and the GPCs of adjacent blocks
///          (tests/gpu/microarchitecture/sm_sharing.cu, requests and placement); compared with L1
///          misses and L2 sectors of the six `grid` kernels of tests/gpu/layout_bench.cu
[[nodiscard]] double mergedMisses(const KernelCounts &counts, const KernelScale &scale,
                                  const Machine &machine, double launchNs);

} // namespace relayout::analysis
