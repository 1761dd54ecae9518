// SPDX-License-Identifier: Apache-2.0
// Policy replay, fourth step: volumes to time, with the constants of a machine.
#pragma once

#include "relayout/analysis/replay/cost/kernel_volume.h"

namespace relayout::analysis {

/// Where the time goes, in nanoseconds over all launches. The resources work side by side.
struct KernelTime {
  double issueNs = 0;
  double arithmeticNs =
      0; ///< of the slower of the pipes for double precision and special functions
  double l1Ns = 0;
  double l2ReadNs = 0;
  double l2WriteNs = 0;
  double dramNs = 0;
  double startNs = 0;       ///< starting the blocks
  double latencyNs = 0;     ///< what too few warps cannot hide
  double sharedStallNs = 0; ///< of it, stalls of all warps of an SM at once, which no work hides
  /// By how much a ratio to another time is off, in one case of three, where issue and waits are
  /// those of a loop that was compiled; 0: they are estimates.
  double errorOfMachineCode = 0;
  double launchNs = 0;
  double otherNs = 0; ///< what is the same in every layout: pages of managed memory; where the
                      ///< kernel was measured, all that the model does not explain
  double totalNs = 0;
};

[[nodiscard]] KernelTime timeOf(const KernelVolume &volume, const KernelScale &scale,
                                const Machine &machine, double otherNs = 0);

/// What a kernel takes beyond what the model explains of its measured duration: waiting and
/// arithmetic that stay whatever the layout. 0 where the model is above it already.
[[nodiscard]] double otherWorkNs(const KernelTime &modelled, double measuredNs);

/// What a kernel waits for most.
enum class Resource { Issue, Arithmetic, L1, L2, Dram, BlockStart, Latency, Launch, OtherWork };

[[nodiscard]] Resource bindingResource(const KernelTime &time);

/// "DRAM".
[[nodiscard]] const char *resourceName(Resource resource);

/// By how much the ratio of two layouts' times in one kernel is off, as a part of it, in one case
/// of three: more where the layouts make the kernel wait for different things.
[[nodiscard]] double ratioError(Resource before, Resource after);

} // namespace relayout::analysis
