// SPDX-License-Identifier: Apache-2.0
// Runs a program under hardware counters, once for each kind of them (docs/hardware.md).
#pragma once

#include "relayout/base/result.h"
#include "relayout/gpu/counter_report.h"
#include "relayout/trace/trace.h"

#include <map>
#include <string>
#include <vector>

namespace relayout::tool {

struct CounterRun {
  std::string report;   ///< as CounterReport::toJson; says what is missing where a run gave nothing
  bool isWhole = false; ///< the program ended in order and wrote it
};

/// Runs the program without tracing and under the counters of one mode. Its output is dropped.
/// \param folder  for files in between
/// \error RL-X02 the program cannot be started
[[nodiscard]] Result<CounterRun> runUnderCounters(const std::vector<std::string> &command,
                                                  gpu::CounterMode mode,
                                                  const std::string &libraries,
                                                  const std::string &folder);

/// Runs the program under every mode in turn and puts what they reported into the report of a
/// trace, which is made where there is none. \error RL-X01 the installation is incomplete; RL-X02;
/// RL-F01, RL-F02; RL-G03 the report is none
[[nodiscard]] Result<void> addCounters(const std::vector<std::string> &command,
                                       const std::string &reportFile);

/// Machine instructions an access of the source, by line, as a table; empty where the report beside
/// the trace, FILE.gpu.json, has no source lines.
[[nodiscard]] std::string describeLineCounters(const trace::Trace &trace,
                                               const std::string &traceFile);

/// Puts the instructions of each site into that report, as far as its lines tell them.
/// \error RL-F01, RL-F02; RL-G03 the report is none
[[nodiscard]] Result<void> addSiteInstructions(const trace::Trace &trace,
                                               const std::string &traceFile);

} // namespace relayout::tool
