// SPDX-License-Identifier: Apache-2.0
// What the text and the JSON report of policy replay have in common.
#pragma once

#include "relayout/analysis/replay/replay.h"

#include <string>
#include <utility>
#include <vector>

namespace relayout::analysis {

[[nodiscard]] std::vector<LayoutField> fieldsOf(const ReplayAnalysis &analysis,
                                                const GroupReplay &group);

/// Some kernel of the group was replayed, and there was something to choose between.
[[nodiscard]] bool wasSearched(const GroupReplay &group);

/// Of the resource that takes the longest.
[[nodiscard]] std::string bindingName(const KernelTime &time);

[[nodiscard]] double dramBytes(const KernelVolume &volume);
[[nodiscard]] double l1Sectors(const KernelVolume &volume);
[[nodiscard]] double l2Sectors(const KernelVolume &volume);

/// The lowest and the highest power with which accesses of a launch grow.
[[nodiscard]] std::pair<double, double> powersOfAccesses(const KernelLaw &law);

} // namespace relayout::analysis
