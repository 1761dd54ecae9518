// SPDX-License-Identifier: Apache-2.0
// From a trace or a site table to a plan, by policy or by a layout asked for by name.
#pragma once

#include "relayout/analysis/plan/plan.h"
#include "relayout/trace/site_table.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace relayout::tool {

struct DecideOptions {
  std::string policy = "replay";
  std::string machine; ///< name or file; policy replay predicts for it; empty: h100
  std::string layout;  ///< a layout for all groups, instead of a policy's choice
  bool allRows = false;
  /// Of the run to decide for, against the traced one; see analysis::runScale().
  std::optional<double> scale;
  std::optional<double> repeat;
};

void addDecideOptions(CLI::App &parser, DecideOptions &options);

/// \error RL-U01 options of policy replay beside another policy; RL-P04 there is no such layout;
///        RL-M… nor the machine file
[[nodiscard]] Result<void> checkDecideOptions(const DecideOptions &options);

struct Decided {
  analysis::Plan plan;
  std::string report; ///< for the terminal
  std::string json;   ///< the same facts for programs
  trace::SiteTable sites;
  /// Plans worth measuring beside the original, by name; the policy's choice first.
  std::vector<std::pair<std::string, analysis::Plan>> alternatives;
};

/// Called about once a second with the progress of a search: "layouts of 'Body': 120 tried".
using SearchSink = std::function<void(const std::string &how)>;

/// Prints it on stderr, a line each.
void printSearch(const std::string &how);

/// \error RL-T… the trace is not usable; see readUsableTrace; RL-M… nor the machine file; RL-A…
///        nothing to decide from
[[nodiscard]] Result<Decided> decide(const std::string &traceFile, const DecideOptions &options,
                                     const SearchSink &search);

} // namespace relayout::tool
