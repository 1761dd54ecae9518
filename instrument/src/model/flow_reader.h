// SPDX-License-Identifier: Apache-2.0
// Which declarations of one unit can hold pointers into the same array of records.
#pragma once

#include "model/allocation_flow.h"

#include <set>
#include <string>

namespace relayout::instrument {

/// \param apart  symbols of functions whose parameters do not join what they are called with
/// \param definitions  of all units
[[nodiscard]] UnitFlow readFlow(ParsedUnit &unit, const std::set<std::string> &apart,
                                const FunctionsThatFillIn &definitions);

} // namespace relayout::instrument
