// SPDX-License-Identifier: Apache-2.0
// Edits the user's files where they are, all or none, with a journal to take it back.
#pragma once

#include "relayout/base/result.h"
#include "relayout/instrument/source_set.h"

#include <string>
#include <vector>

namespace relayout::tool {

/// What to do about files with changes of the user's that would be mixed up or lost.
enum class ChangedFiles { Refuse, Replace };

/// Replaces the files of a rewrite and adds the generated ones. Modes, hard links and symbolic
/// links are kept. ROOT/.relayout has the journal, and the originals until they are restored.
/// \param root  that the set's relative paths start from
/// \param changed  Refuse: a file that git calls modified is an error
/// \returns  the files that were written; none where an earlier call left them just so
/// \error RL-U01 files have uncommitted changes, or changed since an earlier rewrite; RL-F02 a file
///        cannot be written, and none was changed
[[nodiscard]] Result<std::vector<std::string>>
writeInPlace(const instrument::SourceSet &sources, const std::string &root, ChangedFiles changed);

/// Whether the files are as an earlier writeInPlace left them.
/// \param folder  ROOT or a folder below it
[[nodiscard]] bool isWrittenInPlace(const std::string &folder);

/// What an earlier writeInPlace wrote, and where.
struct EarlierRewrite {
  std::string root;
  instrument::SourceSet sources;
};

/// Restores what it replaced, so that the files can be rewritten to another layout. Until that is
/// written, writeInPlace puts the earlier one back.
/// \param folder  for which isWrittenInPlace() is true
/// \error RL-F02 a file cannot be written
[[nodiscard]] Result<EarlierRewrite> takeBack(const std::string &folder);

/// What became of the files of a rewrite that was taken back.
struct UndoneFiles {
  std::vector<std::string> restored; ///< that it had replaced
  std::vector<std::string> removed;  ///< that it had added
};

/// Restores what writeInPlace replaced, and removes what it added and the journal.
/// \param folder  ROOT or a folder below it
/// \param changed  Refuse: a file that is neither as before nor as after is an error
/// \error RL-F01 there is no journal; RL-U01 a file was changed since; RL-F02 one cannot be written
[[nodiscard]] Result<UndoneFiles> undoInPlace(const std::string &folder, ChangedFiles changed);

} // namespace relayout::tool
