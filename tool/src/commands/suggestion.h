// SPDX-License-Identifier: Apache-2.0
// What a misspelt word was probably meant to be.
#pragma once

#include <string>
#include <vector>

namespace relayout::tool {

/// "; did you mean 'optimize'?" for the nearest of the known words, or nothing where none is near.
[[nodiscard]] std::string didYouMean(const std::string &word,
                                     const std::vector<std::string> &known);

} // namespace relayout::tool
