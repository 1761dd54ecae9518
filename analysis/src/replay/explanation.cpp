// SPDX-License-Identifier: Apache-2.0
// Prints what a report of policy replay knows of one record.
#include "relayout/analysis/replay/explanation.h"

#include "text_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <set>
#include <vector>

namespace relayout::analysis {
namespace {

using Json = nlohmann::ordered_json;
using Align = TextTable::Align;

constexpr std::size_t kLayoutWidth = 64;

std::string layoutName(const Json &candidate) {
  return candidate.at("layout").is_null() ? "as it is"
                                          : candidate.at("layout").at("name").get<std::string>();
}

std::string milliseconds(const Json &ns) { return fmt::format("{:.4f}", ns.get<double>() * 1e-6); }

/// "12 M / 31 M (2.6)": bytes used, moved, and moved a byte used.
std::string usedAndMoved(const Json &traffic) {
  const double used = traffic.at("usedBytes").get<double>();
  const double moved = traffic.at("movedBytes").get<double>();
  return fmt::format("{} / {} ({:.2f})", scaled(used), scaled(moved), used > 0 ? moved / used : 0);
}

/// What the report's "best" is, whether it was chosen or the record stays as it is.
const char *bestName(const Json &group) {
  return group.at("keep").get<bool>() ? "next best" : "choice";
}

void addCandidates(const Json &group, std::string &text) {
  TextTable table({{"", Align::Left},
                   {"layout", Align::Left},
                   {"kernels ms", Align::Right},
                   {"conversion", Align::Right},
                   {"to source", Align::Right},
                   {"error", Align::Right}});
  const double source = group.at("source").at("totalNs").get<double>();
  for (const auto &[title, key] : {std::pair("source", "source"), std::pair("choice", "best"),
                                   std::pair("runner-up", "runnerUp")}) {
    const Json &candidate = group.at(key);
    const std::string title_ = std::string(key) == "best" ? bestName(group) : title;
    table.addRow({title_, shortened(layoutName(candidate), kLayoutWidth),
                  milliseconds(candidate.at("kernelNs")),
                  milliseconds(candidate.at("conversionNs")),
                  fmt::format("{:.3f}", candidate.at("totalNs").get<double>() / source),
                  fmt::format("{:.1f} %", 100 * candidate.at("error").get<double>())});
  }
  text += table.render(2);
}

/// Predicted time with a layout against that with the source's, "-" where it was not tried.
std::string predictedRatio(const Json &group, const std::string &layout) {
  const double source = group.at("source").at("totalNs").get<double>();
  for (const char *key : {"source", "best", "runnerUp"})
    if (layoutName(group.at(key)) == layout)
      return fmt::format("{:.3f}", group.at(key).at("totalNs").get<double>() / source);
  for (const Json &candidate : group.at("candidates"))
    if (layoutName(candidate) == layout)
      return fmt::format("{:.3f}", candidate.at("totalNs").get<double>() / source);
  return "-";
}

void addMeasured(const Json &report, const Json &group, std::string &text) {
  text += "\n" + wrapped(fmt::format("measured on a GPU: all kernels and conversions of the "
                                     "program, median of {} runs; the versions may differ in other "
                                     "records too",
                                     report.at("measuredRuns").get<unsigned>()),
                         2, kReportWidth);
  TextTable table({{"", Align::Left},
                   {"layout", Align::Left},
                   {"measured ms", Align::Right},
                   {"to source", Align::Right},
                   {"predicted", Align::Right},
                   {"", Align::Left}});
  const Json &rows = group.at("measured");
  for (const Json &row : rows) {
    const auto layout = row.at("layout").get<std::string>();
    table.addRow(
        {row.at("version").get<std::string>(), shortened(layout, kLayoutWidth),
         fmt::format("{:.4f}", row.at("ms").get<double>()),
         fmt::format("{:.3f}", row.at("ms").get<double>() / rows.front().at("ms").get<double>()),
         predictedRatio(group, layout), row.at("kept").get<bool>() ? "kept" : ""});
  }
  text += table.render(4);
}

void addKernel(const Json &kernel, const std::string &best, std::string &text) {
  const Json &before = kernel.at("before");
  const Json &after = kernel.at("after");
  const Json &next = kernel.at("runnerUp");
  text +=
      "\n" + wrapped(fmt::format(
                         "{}: {} ms as it is ({}), {} ms with the {} ({}), {} ms with the "
                         "runner-up ({})",
                         kernel.at("kernel").get<std::string>(), milliseconds(before.at("totalNs")),
                         before.at("boundBy").get<std::string>(), milliseconds(after.at("totalNs")),
                         best, after.at("boundBy").get<std::string>(),
                         milliseconds(next.at("totalNs")), next.at("boundBy").get<std::string>()),
                     2, kReportWidth);
  TextTable table({{"site", Align::Left},
                   {"layout", Align::Left},
                   {"loads, stores", Align::Right},
                   {"L1 sectors", Align::Right},
                   {"bytes used / moved", Align::Right}});
  for (const Json &site : kernel.at("sites")) {
    bool first = true;
    for (const auto &[title, key] : {std::pair<std::string, const char *>("as it is", "before"),
                                     {best, "after"},
                                     {"runner-up", "runnerUp"}}) {
      const Json &traffic = site.at(key);
      table.addRow({first ? site.at("site").get<std::string>() : "", title,
                    scaled(traffic.at("instructions").get<double>()),
                    scaled(traffic.at("sectors").get<double>()), usedAndMoved(traffic)});
      first = false;
    }
  }
  text += table.render(4);
}

void addGroup(const Json &report, const Json &group, std::string &text) {
  std::vector<std::string> arrays = group.at("arrays").get<std::vector<std::string>>();
  text += wrapped(
      fmt::format("{}, arrays {}", group.at("record").get<std::string>(), fmt::join(arrays, ", ")),
      0, kReportWidth);
  text += wrapped("predicted for " + report.at("predictedFor").get<std::string>() +
                      ", all launches together",
                  2, kReportWidth) +
          "\n";
  if (!group.at("source").is_null()) {
    addCandidates(group, text);
    if (group.contains("measured"))
      addMeasured(report, group, text);
    for (const Json &kernel : group.at("kernels"))
      addKernel(kernel, bestName(group), text);
    text += "\n";
  }
  text += wrapped(group.at("reason").get<std::string>(), 2, kReportWidth);
}

} // namespace

Result<std::string> explainRecord(std::string_view report, const std::string &record) {
  const Json json = Json::parse(report, nullptr, false);
  if (!json.is_object() || json.value("format", "") != "relayout-replay-report")
    return fail("RL-A04", "this is no report of policy replay; `relayout optimize` leaves one as "
                          "report.json, `relayout analyze --json` prints it");
  std::string text;
  std::set<std::string> records;
  try {
    for (const Json &group : json.at("groups")) {
      const std::string name = group.at("record").get<std::string>();
      records.insert(name);
      if (name != record)
        continue;
      text += text.empty() ? "" : "\n";
      addGroup(json, group, text);
    }
  } catch (const Json::exception &problem) {
    return fail("RL-A04", fmt::format("the report is not complete: {}", problem.what()));
  }
  if (text.empty())
    return fail("RL-A04", fmt::format("the report has no record '{}'; it has {}", record,
                                      fmt::join(records, ", ")));
  return text;
}

} // namespace relayout::analysis
