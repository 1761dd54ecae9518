// SPDX-License-Identifier: Apache-2.0
// The first line of generated headers: which command makes them.
#pragma once

#include "relayout/instrument/source_set.h"

#include <string>
#include <vector>

namespace relayout::tool {

/// Writes the command into that line of each header. It names no place of this machine: paths are
/// relative to the current folder or to the sources', or just the file's name.
/// \param words  as they followed `relayout`
void nameCommand(instrument::SourceSet &sources, const std::vector<std::string> &words);

/// A generated header without that line; other text as it is.
[[nodiscard]] std::string withoutCommand(const std::string &text);

/// Whether a rewrite made this file.
[[nodiscard]] bool isGenerated(const std::string &text);

} // namespace relayout::tool
