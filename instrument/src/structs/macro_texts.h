// SPDX-License-Identifier: Apache-2.0
// `AT(cells, x, y) = c;` where a macro's body names elements of an array, and `DEFINE(Body,
// bodies)` where it declares pointers: the program is read with what the macro stands for in its
// place.
#pragma once

#include "parse/replaced_text.h"
#include "relayout/instrument/clang/front_end.h"

#include <set>
#include <string>
#include <vector>

namespace relayout::instrument {

/// \param macros  by their names; single uses as they are written, `DEFINE(Body, bodies)`; and
///                `AT(` where other macros that are written out use it
/// \returns  the files that change; none where no use of these macros can be written out
[[nodiscard]] std::vector<ReplacedText> writtenOutMacros(const std::vector<ParsedUnit *> &units,
                                                         const std::set<std::string> &macros);

} // namespace relayout::instrument
