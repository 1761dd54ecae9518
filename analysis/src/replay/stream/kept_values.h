// SPDX-License-Identifier: Apache-2.0
// Policy replay: a sample as it is if nothing aliases.
#pragma once

#include "relayout/analysis/replay/stream/sample.h"

namespace relayout::analysis {

/// Takes accesses to plain arrays out of a sample that find their values in registers where the
/// compiler knows that stores to other arrays leave these alone: loads of elements that the warp
/// has read or written lately, and stores to those that it has written.
/// \returns whether there are any
bool keepValues(const trace::Trace &trace, ReplaySample &sample);

} // namespace relayout::analysis
