// SPDX-License-Identifier: Apache-2.0
// From a trace or a site table to a plan, by policy or by a layout asked for by name.
#pragma once

#include "relayout/analysis/plan.h"
#include "relayout/trace/site_table.h"

#include <CLI/CLI.hpp>

#include <string>

namespace relayout::tool {

struct DecideOptions {
  std::string policy = "nakai";
  std::string machine = "h100"; ///< name or file; policy replay predicts for it
  std::string layout;           ///< a layout for all groups, instead of a policy's choice
  bool allRows = false;
};

void addDecideOptions(CLI::App &parser, DecideOptions &options);

struct Decided {
  analysis::Plan plan;
  std::string report; ///< for the terminal
  std::string json;   ///< the same facts for programs
};

/// \error RL-T… the trace is not usable; see readUsableTrace; RL-M… nor the machine file; RL-A…
///        nothing to decide from
[[nodiscard]] Result<Decided> decide(const std::string &traceFile, const DecideOptions &options);

} // namespace relayout::tool
