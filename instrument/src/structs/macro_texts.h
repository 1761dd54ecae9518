// SPDX-License-Identifier: Apache-2.0
// `AT(cells, x, y) = c;` where a macro's body names elements of an array: the program is read with
// what the macro stands for in its place.
#pragma once

#include "parse/replaced_text.h"
#include "relayout/instrument/clang/front_end.h"

#include <set>
#include <string>
#include <vector>

namespace relayout::instrument {

/// \returns  the files that change; none where no use of these macros can be written out
[[nodiscard]] std::vector<ReplacedText> writtenOutMacros(const std::vector<ParsedUnit *> &units,
                                                         const std::set<std::string> &macros);

} // namespace relayout::instrument
