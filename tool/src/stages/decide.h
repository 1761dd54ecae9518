// SPDX-License-Identifier: Apache-2.0
// From a trace or a site table to a plan, by policy or by a layout asked for by name.
#pragma once

#include "relayout/analysis/nakai/nakai.h"
#include "relayout/analysis/replay/replay.h"
#include "relayout/analysis/replay/search/launch_bounds.h"
#include "relayout/trace/trace_handle.h"
#include "stages/measure.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace relayout::tool {

struct DecideOptions {
  std::string policy = "replay";
  std::string machine;      ///< name or file; policy replay predicts for it; empty: h100
  std::string machineIsFor; ///< the GPU whose own machine file is missing; empty: it is not
  std::string layout;       ///< a layout for all groups, instead of a policy's choice
  bool allRows = false;
  /// Groups in whose layouts policy replay explodes no array member; see explodedInVain().
  std::set<trace::Index> wholeArrays = {};
  /// Of the run to decide for, relative to the traced one; see analysis::runScale().
  std::optional<double> scale;
  std::optional<double> repeat;
  /// Of the program with other arguments, beside whose trace is decided; see
  /// analysis::ReplayOptions.
  std::optional<trace::TraceHandle> otherRun = {};
  /// Of an earlier decision on the same trace, which are decided between. Null: a search.
  const analysis::CompiledFinalists *compiled = nullptr;
};

void addDecideOptions(CLI::App &parser, DecideOptions &options);

/// \error RL-U01 options of policy replay beside another policy; RL-P04 there is no such layout;
///        RL-M… nor the machine file
[[nodiscard]] Result<void> checkDecideOptions(const DecideOptions &options);

/// The machine that predictions are for.
/// \error RL-M… there is none of that name, or it cannot be read
[[nodiscard]] Result<analysis::Machine> machineOf(const DecideOptions &options);

/// What was measured of the alternatives.
struct MeasuredVersions {
  MeasuredChoice choice;
  unsigned runs = 0;
  /// Of each version, the name of every group's layout, in the analysis' order.
  std::vector<std::vector<std::string>> layouts;
  std::vector<std::string> refused; ///< alternatives that the rewriter refuses
  std::string gpu;
};

/// Data alone; reportText() and reportJson() render it.
struct Decided {
  analysis::Plan plan;
  std::variant<analysis::ReplayAnalysis, analysis::NakaiAnalysis> analysis;
  std::string askedLayout; ///< that was asked for instead of the policy's choice; or nothing
  /// Plans worth measuring beside the original, by name; the policy's choice first.
  std::vector<std::pair<std::string, analysis::Plan>> alternatives;
  std::optional<MeasuredVersions> measured;
  std::vector<analysis::BoundedKernel> bounded = {}; ///< of the plan
  /// Of alternatives, by their names.
  std::map<std::string, std::vector<analysis::BoundedKernel>> boundedAlternatives = {};
  bool allRows = false; ///< the report shows every site

  [[nodiscard]] const trace::TraceHandle &trace() const;
};

/// For the terminal.
[[nodiscard]] std::string reportText(const Decided &decided);
/// The same facts for programs.
[[nodiscard]] std::string reportJson(const Decided &decided);

/// Called about once a second with the progress of a search: "layouts of 'Body': 120 tried".
using SearchSink = std::function<void(const std::string &how)>;

/// Prints it on stderr, a line each.
void printSearch(const std::string &how);

/// \error RL-T… the trace is not usable; RL-M… nor the machine file; RL-A… nothing to decide from
[[nodiscard]] Result<Decided> decide(const trace::TraceHandle &trace, const DecideOptions &options,
                                     const SearchSink &search);

} // namespace relayout::tool
