// SPDX-License-Identifier: Apache-2.0
// Whether a program looks at a pointer itself, not at what it leads to.
#pragma once

#include "relayout/instrument/clang/array_flow.h"

#include <functional>

namespace relayout::instrument {

/// Compares, tests or converts to a number a pointer that may have the member's value: device code
/// any, host code that of an object in question.
[[nodiscard]] bool
isTested(const std::vector<ParsedUnit *> &units, const std::vector<ArrayFlow> &flows,
         const clang::FieldDecl &member,
         const std::function<bool(ParsedUnit &, const clang::Expr &object)> &isInQuestion);

} // namespace relayout::instrument
