// SPDX-License-Identifier: Apache-2.0
// Functions that keep no address of what they are given by reference and touch no other memory: a
// unit that sees their declaration alone may give them a copy of an element, or its field.
#pragma once

#include "relayout/instrument/clang/front_end.h"

#include <set>
#include <string>
#include <vector>

namespace relayout::rewriter {

/// \returns  their symbols; what they call is among them, or a library's
[[nodiscard]] std::set<std::string>
nonCapturingFunctions(const std::vector<instrument::ParsedUnit *> &units);

} // namespace relayout::rewriter
