// SPDX-License-Identifier: Apache-2.0
// Keeps the program's macros out of the generated header.
#pragma once

#include <set>
#include <string>

namespace relayout::rewriter {

/// The header with macros undefined from its includes to its end, where its text has their names;
/// those that are named like a keyword before its includes, which they would break.
[[nodiscard]] std::string withMacrosHidden(std::string header, const std::set<std::string> &macros);

} // namespace relayout::rewriter
