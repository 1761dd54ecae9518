// SPDX-License-Identifier: Apache-2.0
// Renders a decision, once all of it is known.
#include "stages/bounded_kernels.h"
#include "stages/decide.h"

#include "relayout/analysis/report/nakai_report.h"
#include "relayout/analysis/report/replay_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace relayout::tool {
namespace {

using Json = nlohmann::ordered_json;

std::string measuredText(const MeasuredVersions &measured) {
  std::string text =
      fmt::format("\nMeasured on {}, all kernels and conversions together, median of "
                  "{} runs ± median deviation:\n{}",
                  measured.gpu, measured.runs, describe(measured.choice));
  for (const std::string &name : measured.refused)
    text += fmt::format("  {:<14} {:>15}  the rewriter refuses it\n", name, "-");
  if (measured.choice.notComparable)
    text += fmt::format("  {}; the fastest is compared on the CPU.\n",
                        measured.choice.notComparable->text);
  if (measured.choice.best == 0)
    text += "  Nothing that verifies is faster than the original by more than noise: it is left as "
            "it is.\n";
  return text;
}

Json toJson(const std::vector<analysis::BoundedKernel> &kernels) {
  Json json = Json::array();
  for (const analysis::BoundedKernel &kernel : kernels)
    json.push_back({{"kernel", kernel.name},
                    {"registers", kernel.registers},
                    {"moreRegisters", kernel.moreRegisters},
                    {"loneTime", kernel.loneTime},
                    {"warps", kernel.warps}});
  return json;
}

/// The report with the kernels that get launch bounds, and with those that alternatives have.
std::string withBounds(const std::string &report, const Decided &decided) {
  if (decided.bounded.empty() && decided.boundedAlternatives.empty())
    return report;
  Json json = Json::parse(report);
  json["launchBounds"] = toJson(decided.bounded);
  for (const auto &[name, kernels] : decided.boundedAlternatives)
    json["launchBoundsOf"][name] = toJson(kernels);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace

std::string reportText(const Decided &decided) {
  std::string text;
  if (const auto *nakai = std::get_if<analysis::NakaiAnalysis>(&decided.analysis)) {
    analysis::ReportOptions options;
    if (decided.allRows)
      options.maxRows = 0;
    text = analysis::renderReport(*nakai, options);
  } else {
    text = analysis::renderReplayReport(std::get<analysis::ReplayAnalysis>(decided.analysis));
  }
  if (!decided.askedLayout.empty())
    text +=
        fmt::format("The choice above is the policy's; '{}' was asked for and is what follows.\n",
                    decided.askedLayout);
  text += describe(decided.bounded);
  if (decided.measured)
    text += measuredText(*decided.measured);
  return text;
}

std::string reportJson(const Decided &decided) {
  if (const auto *nakai = std::get_if<analysis::NakaiAnalysis>(&decided.analysis))
    return analysis::reportJson(*nakai);
  const std::string json = withBounds(
      analysis::replayReportJson(std::get<analysis::ReplayAnalysis>(decided.analysis)), decided);
  return decided.measured ? withMeasurements(json, decided.measured->choice,
                                             decided.measured->layouts, decided.measured->runs)
                          : json;
}

} // namespace relayout::tool
