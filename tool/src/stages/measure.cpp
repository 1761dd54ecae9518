// SPDX-License-Identifier: Apache-2.0
// Which of several versions of a program to keep, by running them.
#include "stages/measure.h"

#include "stages/median.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace relayout::tool {

namespace {

/// What every run of every version copied.
class CopiesOfRuns {
public:
  explicit CopiesOfRuns(std::size_t versions) : runs_(versions) {}

  void add(std::size_t version, Copies copies) {
    if (version == 0)
      original_.add(copies);
    else
      runs_[version].push_back(std::move(copies));
  }

  [[nodiscard]] const OriginalCopies &original() const { return original_; }

  /// Compares once all runs of the original are known: what varies may show late.
  [[nodiscard]] CopyComparison compare(std::size_t version) const {
    CopyComparison comparison;
    for (const Copies &run : runs_[version])
      if (comparison = original_.compareWith(run); !comparison.identical())
        break;
    return comparison;
  }

private:
  OriginalCopies original_;
  std::vector<std::vector<Copies>> runs_;
};

double deviationOf(const std::vector<double> &values, double middle) {
  std::vector<double> distances;
  for (const double value : values)
    distances.push_back(std::abs(value - middle));
  return median(std::move(distances));
}

} // namespace

double noiseMs(const MeasuredVersion &original, const MeasuredVersion &version) {
  return std::max(kLeastGain * original.medianMs,
                  3 * std::max(original.deviationMs, version.deviationMs));
}

Result<MeasuredChoice> chooseByMeasure(const std::vector<std::string> &names, unsigned runs,
                                       const RunVersion &run, const CompareWithoutFma &withoutFma) {
  MeasuredChoice choice;
  for (const std::string &name : names)
    choice.versions.push_back({name, {}, 0, 0, {}, {}});
  CopiesOfRuns copies(names.size());
  // All in turn, so that drift of the machine meets all alike.
  for (unsigned round = 0; round <= std::max(runs, 1u); ++round)
    for (std::size_t i = 0; i < names.size(); ++i) {
      MeasuredVersion &measured = choice.versions[i];
      if (!measured.failure.empty())
        continue;
      Result<TimedRun> timed = run(names[i]);
      if (!timed && i == 0)
        return fail(timed.error().code, "the original could not be timed: " + timed.error().text);
      if (!timed) {
        measured.failure = timed.error().text;
        continue;
      }
      copies.add(i, std::move(timed->copies));
      if (round != 0)
        measured.kernelMs.push_back(timed->kernelMs);
    }
  if (auto comparable = copies.original().requireComparable(); !comparable)
    choice.notComparable = comparable.error();
  for (std::size_t i = 0; i < names.size(); ++i) {
    MeasuredVersion &measured = choice.versions[i];
    if (!measured.failure.empty())
      continue;
    measured.medianMs = median(measured.kernelMs);
    measured.deviationMs = deviationOf(measured.kernelMs, measured.medianMs);
    if (i == 0)
      continue;
    if (!choice.notComparable)
      measured.comparison = copies.compare(i);
    if (!measured.comparison.identical() && withoutFma)
      if (auto again = withoutFma(names[i]); again && again->identical())
        measured.comparison = std::move(*again);
    const MeasuredVersion &original = choice.versions.front();
    if (measured.mayBeKept() &&
        measured.medianMs < original.medianMs - noiseMs(original, measured) &&
        measured.medianMs < choice.versions[choice.best].medianMs)
      choice.best = i;
  }
  return choice;
}

std::string withMeasurements(const std::string &replayReport, const MeasuredChoice &choice,
                             const std::vector<std::vector<std::string>> &layouts, unsigned runs) {
  auto report = nlohmann::ordered_json::parse(replayReport);
  report["measuredRuns"] = runs;
  std::size_t index = 0;
  for (auto &group : report["groups"]) {
    auto &rows = group["measured"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < choice.versions.size(); ++i) {
      const MeasuredVersion &version = choice.versions[i];
      if (version.mayBeKept())
        rows.push_back({{"version", version.name},
                        {"layout", layouts[i][index]},
                        {"ms", version.medianMs},
                        {"deviationMs", version.deviationMs},
                        {"kept", i == choice.best}});
    }
    ++index;
  }
  return report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string describe(const MeasuredChoice &choice) {
  std::string text;
  for (std::size_t i = 0; i < choice.versions.size(); ++i) {
    const MeasuredVersion &version = choice.versions[i];
    text += version.mayBeKept()
                ? fmt::format("  {:<14} {:>12.4f} ms ± {:.4f}{}\n", version.name, version.medianMs,
                              version.deviationMs, i == choice.best ? "  <- kept" : "")
                : fmt::format("  {:<14} {:>15}  {}\n", version.name, "-",
                              !version.failure.empty() ? version.failure
                                                       : *version.comparison.difference);
  }
  return text;
}

} // namespace relayout::tool
