// SPDX-License-Identifier: Apache-2.0
// What a rewrite changes, in the forms in which other tools apply it.
#pragma once

#include "relayout/base/result.h"
#include "relayout/instrument/source_set.h"

#include <string>

namespace relayout::tool {

/// Edited files keep the line ends that they have.
void keepLineEnds(instrument::SourceSet &sources);

/// A unified diff whose paths start at the root of the git repository around the files, as
/// `git apply` takes it there; without a repository, at the deepest folder that holds them all.
[[nodiscard]] std::string patchOf(const instrument::SourceSet &sources);

/// Writes the edits of existing files as clang-apply-replacements reads them.
/// \error RL-F02 the file cannot be written
[[nodiscard]] Result<void> writeReplacements(const instrument::SourceSet &sources,
                                             const std::string &file);

/// The folder that holds all of the user's files: where relative paths of the set start.
[[nodiscard]] std::string sourceRoot(const instrument::SourceSet &sources);

} // namespace relayout::tool
