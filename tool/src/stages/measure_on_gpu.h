// SPDX-License-Identifier: Apache-2.0
// `--measure`: builds the best few layouts with nvcc and times them on this machine's GPU.
#pragma once

#include "relayout/instrument/command.h"
#include "stages/decide.h"
#include "stages/measure.h"

#include <string>
#include <vector>

namespace relayout::tool {

struct MeasureOptions {
  bool wanted = false;
  unsigned runs = 5;
};

void addMeasureOptions(CLI::App &parser, MeasureOptions &options);

/// Rewrites every alternative below the folder, builds them and the original, runs all in turn and
/// sets the plan to that of the fastest that copies back what the original does. What came of it
/// is added to the report.
/// \error RL-G04 nothing could be measured, the text says why; the plan is as it was
[[nodiscard]] Result<void> decideByMeasure(const instrument::Program &program,
                                           const std::vector<std::string> &programArguments,
                                           const MeasureOptions &options, const std::string &folder,
                                           const std::string &libraries, Decided &decided);

} // namespace relayout::tool
