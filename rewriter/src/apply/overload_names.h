// SPDX-License-Identifier: Apache-2.0
// Copies of functions for other memory than CUDA's get the function's own name where views tell
// them apart: `update(BodyView b)` and `update(Body *b)`.
#pragma once

#include "apply/unit_pass.h"
#include "relayout/instrument/parsed_program.h"

#include <map>
#include <string>
#include <vector>

namespace relayout::rewriter {

/// Names of copies that change, with what they become.
using OverloadNames = std::map<std::string, std::string>;

/// All that may change.
[[nodiscard]] OverloadNames overloadNames(const std::vector<instrument::SharedHolder> &functions);

/// Removes the names of copies that calls could not tell from the function.
/// \param units  whose arrays are known
void keepDistinct(const Units &units, OverloadNames &names);

/// Changes the names in the rewritten text, but for those that the program's own text has.
void nameOverloads(const OverloadNames &names, instrument::SourceSet &sources);
/// The same in messages: readers know the function alone.
void nameOverloads(const OverloadNames &names, std::vector<Diagnostic> &findings);

} // namespace relayout::rewriter
