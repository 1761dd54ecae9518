// SPDX-License-Identifier: Apache-2.0
// Edited copies of the user's files, kept apart from the originals until somebody writes them.
#pragma once

#include "relayout/base/result.h"

#include <string>
#include <vector>

namespace relayout::instrument {

/// One file of the user's (never a system or toolkit header) after a stage has edited it.
struct SourceText {
  std::string originalPath; ///< absolute; empty for a generated file
  std::string relativePath; ///< below the output folder; keeps quoted includes working
  std::string original;     ///< text before
  std::string text;         ///< text after; equal to original when the stage left it alone
};

/// The user's files: of one unit, its main file first; of a program, those of its units in order;
/// generated ones last.
struct SourceSet {
  std::vector<SourceText> files;
};

/// Sets each original file's relativePath: its path below the deepest folder that holds them all.
void placeBelowCommonFolder(SourceSet &set);

/// Unified diff (3 lines of context) of the files that changed, as `diff -u` prints it.
/// Generated files appear as additions.
[[nodiscard]] std::string unifiedDiff(const SourceSet &set);

/// Writes every file below `folder`, all or none: files are written beside their place first and
/// renamed when all are on disk.
/// \error RL-F02 a file cannot be written
[[nodiscard]] Result<void> writeSources(const SourceSet &set, const std::string &folder);

} // namespace relayout::instrument
