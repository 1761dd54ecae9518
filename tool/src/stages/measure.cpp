// SPDX-License-Identifier: Apache-2.0
// Which of several versions of a program to keep, by running them.
#include "stages/measure.h"

#include "stages/median.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace relayout::tool {

Result<MeasuredChoice> chooseByMeasure(const std::vector<Contender> &contenders, unsigned runs,
                                       const RunContender &run) {
  MeasuredChoice choice;
  for (const Contender &contender : contenders)
    choice.contenders.push_back({contender.name, {}, 0, {}});
  std::string expected;
  // All in turn, so that drift of the machine meets all alike.
  for (unsigned round = 0; round <= std::max(runs, 1u); ++round)
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      MeasuredContender &measured = choice.contenders[i];
      if (!measured.disqualified.empty())
        continue;
      const Result<TimedRun> timed = run(contenders[i]);
      if (!timed) {
        if (i == 0)
          return fail(Code::NotMeasured, "the original could not be timed: " + timed.error().text);
        measured.disqualified = timed.error().text;
        continue;
      }
      if (i == 0 && round == 0)
        expected = timed->copies;
      if (i == 0 && (expected.empty() || timed->copies != expected))
        return fail(Code::NotMeasured,
                    expected.empty()
                        ? "the original copies nothing back, so versions of it cannot be "
                          "compared with it"
                        : "the original copies back other bytes from run to run, so "
                          "versions of it cannot be compared with it");
      if (timed->copies != expected) {
        measured.disqualified = "copies back other bytes than the original";
        continue;
      }
      if (round != 0)
        measured.kernelMs.push_back(timed->kernelMs);
    }
  for (std::size_t i = 0; i < choice.contenders.size(); ++i) {
    MeasuredContender &measured = choice.contenders[i];
    if (!measured.disqualified.empty())
      continue;
    measured.medianMs = median(measured.kernelMs);
    if (measured.medianMs < choice.contenders[choice.best].medianMs)
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
    for (std::size_t i = 0; i < choice.contenders.size(); ++i) {
      const MeasuredContender &contender = choice.contenders[i];
      if (contender.disqualified.empty())
        rows.push_back({{"version", contender.name},
                        {"layout", layouts[i][index]},
                        {"ms", contender.medianMs},
                        {"kept", i == choice.best}});
    }
    ++index;
  }
  return report.dump(2) + "\n";
}

std::string describe(const MeasuredChoice &choice) {
  std::string text;
  for (std::size_t i = 0; i < choice.contenders.size(); ++i) {
    const MeasuredContender &measured = choice.contenders[i];
    text += measured.disqualified.empty()
                ? fmt::format("  {:<14} {:>12.4f} ms{}\n", measured.name, measured.medianMs,
                              i == choice.best ? "  <- kept" : "")
                : fmt::format("  {:<14} {:>15}  {}\n", measured.name, "-", measured.disqualified);
  }
  return text;
}

} // namespace relayout::tool
