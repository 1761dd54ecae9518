// SPDX-License-Identifier: Apache-2.0
// Which of several versions of a program to keep, by running them.
#pragma once

#include "relayout/base/result.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace relayout::tool {

/// One version of a program; the first one of a list is the original.
struct Contender {
  std::string name;
  std::vector<std::string> sources;
};

/// What one run of a contender gave.
struct TimedRun {
  double kernelMs = 0; ///< all kernels together, conversions among them
  std::string copies;  ///< digests of what it copied out of device memory, in order
};

/// Builds a contender, if need be, and runs it once.
using RunContender = std::function<Result<TimedRun>(const Contender &)>;

struct MeasuredContender {
  std::string name;
  std::vector<double> kernelMs; ///< by run, the first one left out
  double medianMs = 0;
  std::string disqualified; ///< why it cannot be kept; empty: it can
};

struct MeasuredChoice {
  std::size_t best = 0;                      ///< into the contenders; 0: the original
  std::vector<MeasuredContender> contenders; ///< as they were given
};

/// Runs the contenders in turn, once to warm up and `runs` times to count, and takes the one with
/// the smallest median of those that copy back what the original does. One that fails, or copies
/// back something else, is out.
/// \error RL-G04 the original cannot be timed, copies nothing back, or differs from itself
[[nodiscard]] Result<MeasuredChoice> chooseByMeasure(const std::vector<Contender> &contenders,
                                                     unsigned runs, const RunContender &run);

/// The report of policy replay with what was measured beside what was predicted, for
/// analysis::explainRecord().
/// \param replayReport  what analysis::replayReportJson() rendered
/// \param layouts       of each contender, the name of every group's layout, in the report's order
[[nodiscard]] std::string withMeasurements(const std::string &replayReport,
                                           const MeasuredChoice &choice,
                                           const std::vector<std::vector<std::string>> &layouts,
                                           unsigned runs);

/// A table of the contenders, the best one marked.
[[nodiscard]] std::string describe(const MeasuredChoice &choice);

} // namespace relayout::tool
