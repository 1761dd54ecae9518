// SPDX-License-Identifier: Apache-2.0
// Reads kernel times from the report beside a trace of a GPU.
#include "relayout/analysis/replay/stream/measured_times.h"

#include <nlohmann/json.hpp>

namespace relayout::analysis {
namespace {

/// Where the bracket opens that the name's last character closes.
std::size_t openingOf(std::string_view name, char open, char close) {
  std::size_t depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    depth += name[i] == close ? 1 : 0;
    if (name[i] == open && --depth == 0)
      return i;
  }
  return name.size();
}

/// "void space::sweep<true>(Cell*, Grid)" is space::sweep in a trace.
std::string nameInTrace(std::string_view demangled) {
  std::string_view name = demangled;
  if (name.ends_with(')'))
    name = name.substr(0, openingOf(name, '(', ')'));
  if (name.ends_with('>'))
    name = name.substr(0, openingOf(name, '<', '>'));
  constexpr std::string_view kResult = "void ";
  if (name.starts_with(kResult))
    name.remove_prefix(kResult.size());
  return std::string(name);
}

} // namespace

std::map<std::string, double> measuredKernelNs(std::string_view report,
                                               const std::string &machine) {
  std::map<std::string, double> times;
  const nlohmann::json json = nlohmann::json::parse(report, nullptr, false);
  if (!json.is_object() || json.value("machine", "") != machine || !json.contains("counters") ||
      !json["counters"].is_object())
    return times;
  const nlohmann::json rows = json["counters"].value("kernel_times", nlohmann::json::array());
  for (const nlohmann::json &row : rows)
    if (row.is_object() && row.value("kernel", nlohmann::json()).is_string() &&
        row.value("all_ns", nlohmann::json()).is_number())
      times[nameInTrace(row["kernel"].get<std::string>())] += row["all_ns"].get<double>();
  return times;
}

} // namespace relayout::analysis
