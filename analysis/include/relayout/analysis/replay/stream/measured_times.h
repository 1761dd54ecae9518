// SPDX-License-Identifier: Apache-2.0
// Policy replay: how long the kernels of a traced program took on a GPU.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace relayout::analysis {

/// Nanoseconds of all launches of each kernel, by its name in the trace; instantiations of a
/// template count together. They are what `relayout profile --counters` wrote of the untraced run:
/// times of the traced run, which the report holds as well, are those of a program that its probes
/// slow down up to five times. \param report   text of FILE.gpu.json; whatever else it is, nothing
/// is known \param machine  name of the GPU that is predicted for; of another one nothing is taken
[[nodiscard]] std::map<std::string, double> measuredKernelNs(std::string_view report,
                                                             const std::string &machine);

} // namespace relayout::analysis
