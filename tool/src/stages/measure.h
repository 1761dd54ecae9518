// SPDX-License-Identifier: Apache-2.0
// Which of several versions of a program to keep, by running them.
#pragma once

#include "relayout/base/result.h"
#include "stages/copy_comparison.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace relayout::tool {

/// What one run of a version gave.
struct TimedRun {
  double kernelMs = 0; ///< all kernels together, conversions among them
  Copies copies;       ///< what it copied out of device memory, in order
};

/// Runs a version once, by its name.
using RunVersion = std::function<Result<TimedRun>(const std::string &name)>;

/// Compares a version with the original, both built without FMA contraction.
using CompareWithoutFma = std::function<Result<CopyComparison>(const std::string &name)>;

struct MeasuredVersion {
  std::string name;
  std::vector<double> kernelMs; ///< by run, the first one left out
  double medianMs = 0;
  double deviationMs = 0;    ///< median absolute deviation of the runs
  CopyComparison comparison; ///< with the original, of the run that differs if one does
  std::string failure;       ///< why it could not be run to its end; empty: it could

  [[nodiscard]] bool mayBeKept() const { return failure.empty() && comparison.identical(); }
};

struct MeasuredChoice {
  std::size_t best = 0;                  ///< into the versions; 0: the original
  std::vector<MeasuredVersion> versions; ///< as they were named
  /// RL-V07, where no copy of the original is the same in all of its runs: nothing was compared.
  std::optional<Error> notComparable = {};
};

/// A gain below this part of the original's time is not worth another layout.
inline constexpr double kLeastGain = 0.01;

/// By how much a version's time must be below the original's to be more than noise: a hundredth of
/// it, or three times the larger deviation.
[[nodiscard]] double noiseMs(const MeasuredVersion &original, const MeasuredVersion &version);

/// Runs the versions in turn, once to warm up and `runs` times to count, and takes the one with the
/// smallest median of those that copy back what the original does and are faster than it by more
/// than noise; else the original. What the original copies differently from run to run is not
/// compared. A version that fails is not run again.
/// \param names    the original's first
/// \param withoutFma  asked of versions that copy other bytes; empty: these are not kept
/// \error RL-G04 the original cannot be run; RL-V02 it copies nothing back
[[nodiscard]] Result<MeasuredChoice> chooseByMeasure(const std::vector<std::string> &names,
                                                     unsigned runs, const RunVersion &run,
                                                     const CompareWithoutFma &withoutFma = {});

/// The report of policy replay with what was measured beside what was predicted, for
/// analysis::explainRecord().
/// \param replayReport  what analysis::replayReportJson() rendered
/// \param layouts       of each version, the name of every group's layout, in the report's order
[[nodiscard]] std::string withMeasurements(const std::string &replayReport,
                                           const MeasuredChoice &choice,
                                           const std::vector<std::vector<std::string>> &layouts,
                                           unsigned runs);

/// A table of the versions, the best one marked.
[[nodiscard]] std::string describe(const MeasuredChoice &choice);

} // namespace relayout::tool
