// SPDX-License-Identifier: Apache-2.0
// Separates relayout's own options from the compiler's flags and the user's program's arguments.
#pragma once

#include "commands/commands.h"
#include "relayout/base/result.h"

#include <string>
#include <vector>

namespace relayout::tool {

struct SplitWords {
  std::vector<std::string> own; ///< for CLI11
  ForwardedWords forwarded;
};

/// Everything after a lone `--` is the program's. Of the rest, words that begin with `-` and name
/// no option of the subcommand are the compiler's, with their value where they take one.
/// \error RL-U01 a word looks like an option but is neither ours nor a compiler's
[[nodiscard]] Result<SplitWords> splitWords(const Command &command,
                                            const std::vector<std::string> &words);

} // namespace relayout::tool
