// SPDX-License-Identifier: Apache-2.0
// Refuses traces that say nothing of layouts.
#pragma once

#include "relayout/base/result.h"
#include "relayout/trace/trace.h"

namespace relayout::analysis {

/// \returns  RL-A01 for a trace in which no kernel accesses an array that a policy decides about
[[nodiscard]] tl::unexpected<Error> noRecordAccessed(const trace::Trace &trace);

} // namespace relayout::analysis
