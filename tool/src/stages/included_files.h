// SPDX-License-Identifier: Apache-2.0
// Which files a program is made of, without a compiler.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace relayout::tool {

/// The sources and what they include, directly or not, as far as a file of that name lies beside
/// the including one or in a folder of -I, -iquote or -isystem. Conditions are not looked at: an
/// include that a compiler would leave out is among them. System headers are not.
[[nodiscard]] std::set<std::filesystem::path> filesOf(const std::vector<std::string> &sources,
                                                      const std::vector<std::string> &flags);

} // namespace relayout::tool
