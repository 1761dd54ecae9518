// SPDX-License-Identifier: Apache-2.0
// What the headers of all records of a program share.
#pragma once

#include <string>

namespace relayout::rewriter {

/// What the shared functions and the views need.
[[nodiscard]] std::string sharedIncludes(bool mayLackCuda);

/// The text with another name for that namespace.
[[nodiscard]] std::string inSharedSpace(std::string text, const std::string &space);

} // namespace relayout::rewriter
