// SPDX-License-Identifier: Apache-2.0
// Copies of functions for other memory than CUDA's get the function's own name where views tell
// them apart: `update(BodyView b)` and `update(Body *b)`.
#pragma once

#include "apply/unit_pass.h"
#include "relayout/instrument/parsed_program.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace relayout::rewriter {

/// Names of copies that change, with what they become.
using OverloadNames = std::map<std::string, std::string>;

/// Removes those that do not tell functions apart, or that the program's text has.
/// \param units  whose arrays are known
void keepDistinct(const Units &units, OverloadNames &names);

/// All that may change.
[[nodiscard]] OverloadNames overloadNames(const std::vector<instrument::SharedHolder> &functions);

/// Finds functions with copies of which none has a view.
[[nodiscard]] std::set<std::string>
idleCopies(const std::vector<const Units *> &passes,
           const std::vector<instrument::SharedHolder> &functions);

/// Writes them.
void nameOverloads(const OverloadNames &names, instrument::SourceSet &sources);
/// Readers know the function alone.
void nameOverloads(const OverloadNames &names, std::vector<Diagnostic> &findings);

} // namespace relayout::rewriter
