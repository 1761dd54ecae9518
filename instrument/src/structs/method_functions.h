// SPDX-License-Identifier: Apache-2.0
// `contacts[i].add(point)`, of a method that cannot work on a copy of the element: a function
// behind the record, `addContact(contacts[i], point)`, does the same through a reference, which
// becomes a view.
#pragma once

#include "parse/replaced_text.h"
#include "relayout/instrument/clang/array_flow.h"

#include <set>
#include <string>
#include <vector>

namespace relayout::instrument {

/// \param methods  by their names, `Contact::add()`
/// \returns  the files that change; none where no method may become a function
[[nodiscard]] std::vector<ReplacedText> functionsOfMethods(const std::vector<ParsedUnit *> &units,
                                                           const std::vector<ArrayFlow> &flows,
                                                           const std::set<std::string> &methods);

} // namespace relayout::instrument
