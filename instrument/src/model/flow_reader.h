// SPDX-License-Identifier: Apache-2.0
// Which declarations of one unit can hold pointers into the same array of records.
#pragma once

#include "model/flow_graph.h"

namespace relayout::instrument {

[[nodiscard]] UnitFlow readFlow(ParsedUnit &unit);

} // namespace relayout::instrument
