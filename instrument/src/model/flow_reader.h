// SPDX-License-Identifier: Apache-2.0
// Which declarations of one unit can hold pointers into the same array of records.
#pragma once

#include "model/flow_graph.h"

#include <set>

namespace relayout::instrument {

/// \param apart  symbols of functions whose parameters do not join what they are called with
[[nodiscard]] UnitFlow readFlow(ParsedUnit &unit, const std::set<std::string> &apart = {});

} // namespace relayout::instrument
