// SPDX-License-Identifier: Apache-2.0
// Which changes of a rewritten program a run has executed.
#pragma once

#include "relayout/analysis/plan/plan.h"
#include "relayout/trace/trace_handle.h"

#include <string>
#include <vector>

namespace relayout::tool {

/// The changed arrays that no kernel of a run accessed: that the copies agree says nothing of them.
struct UnexecutedChanges {
  std::vector<std::string> arrays = {}; ///< "'Particle' around 'step::p'", a group each
  bool areAll = false;                  ///< nothing that was changed was executed
};

/// \param trace  of a run with the arguments that the program is verified with
[[nodiscard]] UnexecutedChanges unexecutedChanges(const analysis::Plan &plan,
                                                  const trace::TraceHandle &trace);

} // namespace relayout::tool
