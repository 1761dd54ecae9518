// SPDX-License-Identifier: Apache-2.0
// Prints what a report of policy replay knows of one record.
#include "relayout/analysis/report/replay_explanation.h"

#include "report/text_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <vector>

namespace relayout::analysis {
namespace {

using Json = nlohmann::ordered_json;
using Align = TextTable::Align;

constexpr std::size_t kLayoutWidth = 64;

std::string layoutName(const Json &candidate) {
  return candidate.at("layout").is_null() ? "original"
                                          : candidate.at("layout").at("name").get<std::string>();
}

double totalNs(const Json &timed) { return timed.at("totalNs").get<double>(); }

/// Whether a layout beside the best one was tried that is another than the source's.
bool hasRunnerUp(const Json &group) { return !group.at("runnerUp").at("layout").is_null(); }

/// "12 M / 31 M (2.6)": bytes used, moved, and moved a byte used.
std::string usedAndMoved(const Json &traffic) {
  const double used = traffic.at("usedBytes").get<double>();
  const double moved = traffic.at("movedBytes").get<double>();
  return fmt::format("{} / {} ({:.2f})", scaled(used), scaled(moved), used > 0 ? moved / used : 0);
}

/// What the report's "best" is, whether it was chosen or the record keeps its layout.
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
  const double source = totalNs(group.at("source"));
  for (const auto &[title, key] : {std::pair("source", "source"), std::pair("choice", "best"),
                                   std::pair("runner-up", "runnerUp")}) {
    const Json &candidate = group.at(key);
    if (std::string(key) == "runnerUp" && !hasRunnerUp(group))
      continue;
    const std::string title_ = std::string(key) == "best" ? bestName(group) : title;
    table.addRow({title_, shortened(layoutName(candidate), kLayoutWidth),
                  milliseconds(candidate.at("kernelNs").get<double>(), source),
                  milliseconds(candidate.at("conversionNs").get<double>(), source),
                  fmt::format("{:.3f}", totalNs(candidate) / source),
                  fmt::format("{:.1f} %", 100 * candidate.at("error").get<double>())});
  }
  text += table.render(2);
}

/// Predicted time with a layout against that with the source's, "-" where it was not tried.
std::string predictedRatio(const Json &group, const std::string &layout) {
  const double source = totalNs(group.at("source"));
  for (const char *key : {"source", "best", "runnerUp"})
    if (layoutName(group.at(key)) == layout)
      return fmt::format("{:.3f}", totalNs(group.at(key)) / source);
  for (const Json &candidate : group.at("candidates"))
    if (layoutName(candidate) == layout)
      return fmt::format("{:.3f}", totalNs(candidate) / source);
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

void addKernel(const Json &group, const Json &kernel, std::string &text) {
  // What is said of each layout, and where the report has it.
  std::vector<std::pair<std::string, const char *>> layouts = {{"original", "before"},
                                                               {bestName(group), "after"}};
  if (hasRunnerUp(group))
    layouts.emplace_back("runner-up", "runnerUp");
  const double longest = std::max(totalNs(kernel.at("before")), totalNs(kernel.at("after")));
  std::vector<std::string> times;
  for (const auto &[title, key] : layouts)
    times.push_back(fmt::format("{} ms {} ({})", milliseconds(totalNs(kernel.at(key)), longest),
                                times.empty() ? title : fmt::format("with the {}", title),
                                kernel.at(key).at("boundBy").get<std::string>()));
  text += "\n" + wrapped(fmt::format("{}: {}", kernel.at("kernel").get<std::string>(),
                                     fmt::join(times, ", ")),
                         2, kReportWidth);
  TextTable table({{"site", Align::Left},
                   {"layout", Align::Left},
                   {"loads, stores", Align::Right},
                   {"L1 sectors", Align::Right},
                   {"bytes used / moved", Align::Right}});
  for (const Json &site : kernel.at("sites")) {
    bool first = true;
    for (const auto &[title, key] : layouts) {
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
                  2, kReportWidth);
  for (const Json &reservation : report.value("reservations", Json::array()))
    text += wrapped("less sure: " + reservation.get<std::string>(), 2, kReportWidth);
  text += "\n";
  if (!group.at("source").is_null()) {
    addCandidates(group, text);
    if (group.contains("measured"))
      addMeasured(report, group, text);
    for (const Json &kernel : group.at("kernels"))
      addKernel(group, kernel, text);
    text += "\n";
  }
  text += wrapped(group.at("reason").get<std::string>(), 2, kReportWidth);
}

} // namespace

Result<std::string> explainRecord(std::string_view report, const std::string &record) {
  const Json json = Json::parse(report, nullptr, false);
  if (!json.is_object() || json.value("format", "") != "relayout-replay-report")
    return fail(Code::RecordNotInReport,
                "not a report of policy replay; `relayout optimize` leaves one as "
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
    return fail(Code::RecordNotInReport,
                fmt::format("the report is not complete: {}", problem.what()));
  }
  if (text.empty())
    return fail(Code::RecordNotInReport, fmt::format("the report has no record '{}'; it has {}",
                                                     record, fmt::join(records, ", ")));
  return text;
}

} // namespace relayout::analysis
