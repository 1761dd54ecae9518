// SPDX-License-Identifier: Apache-2.0
// Reads kernel times from the report beside a trace of a GPU.
#include "relayout/analysis/replay/stream/measured_times.h"

#include "compiler_model/kernel_name.h"

#include <nlohmann/json.hpp>

namespace relayout::analysis {
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
