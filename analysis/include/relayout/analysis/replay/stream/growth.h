// SPDX-License-Identifier: Apache-2.0
// Policy replay: how a program grows with its size, as the traces of two sizes show.
#pragma once

#include "relayout/analysis/replay/stream/sample.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace relayout::analysis {

/// Powers of the number of elements with which a kernel grows: 0 is constant, 1 with the elements,
/// 2/3 as the surface of a cube does.
struct KernelLaw {
  double launches = 0;        ///< of a run of as many steps
  double launchesBySteps = 1; ///< power of the launches of the busiest kernel: 0, once a run
  double blocks = 1;          ///< of a launch
  double arithmetic = 1;      ///< of a launch
  std::map<std::uint32_t, double> accesses; ///< of a launch, by site index
  std::map<std::vector<std::uint32_t>, double>
      apart;                           ///< elements between lanes, by the sites of access sets
  std::set<std::uint32_t> walkedSites; ///< see KernelGrowth
};

/// By kernel name; those that both runs launch.
struct GrowthLaw {
  double elements = 1; ///< how many times as many the second run has
  std::map<std::string, KernelLaw> kernels;
};

/// How many times as many elements the arrays of the second run have: the median of array groups,
/// by bytes. Pictures and tables may stay as large as they are. 1: no group was accessed in both.
[[nodiscard]] double elementsGrowth(const trace::Trace &first, const ReplaySample &firstSample,
                                    const trace::Trace &second, const ReplaySample &secondSample);

/// \returns  none where both runs have nearly the same number of elements
[[nodiscard]] std::optional<GrowthLaw> growthOf(const trace::Trace &first,
                                                const ReplaySample &firstSample,
                                                const trace::Trace &second,
                                                const ReplaySample &secondSample);

/// The scale with what the law makes of every kernel.
[[nodiscard]] RunScale withLaw(RunScale run, const GrowthLaw &law);

} // namespace relayout::analysis
