// SPDX-License-Identifier: Apache-2.0
// Takes a program's units from compile_commands.json, as CMake and Bear write it.
#pragma once

#include "relayout/base/result.h"
#include "relayout/instrument/command.h"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace relayout::instrument {

/// One compile of a build.
struct DatabaseEntry {
  std::string file;               ///< absolute
  std::string target;             ///< CMake's, by the object's path; empty where it does not tell
  std::string directory;          ///< where the command runs
  std::vector<std::string> words; ///< compiler first; launchers dropped, response files read
};

struct CompileDatabase {
  std::string path;
  std::vector<DatabaseEntry> entries; ///< of CUDA and C++ sources

  [[nodiscard]] std::set<std::string> targets() const;
  /// Those that are programs, as far as CMake's files beside the database say.
  [[nodiscard]] std::set<std::string> programs() const;
};

/// Words of a command with those of response files (`@file`, nvcc's --options-file and -optf) in
/// their place.
/// \param directory  that their paths start from
[[nodiscard]] std::vector<std::string> withResponseFiles(const std::vector<std::string> &words,
                                                         const std::string &directory);

/// The place of the compiler, which launchers such as ccache or `relayout cc --` stand before; 0
/// where none of the first words is known as one.
[[nodiscard]] std::size_t compilerIn(const std::vector<std::string> &words);

/// \param place  the file, or a folder: the file is looked for in it and in the folders around it
/// \error RL-F01 there is none; RL-F03 it is not a compilation database
[[nodiscard]] Result<CompileDatabase> readCompileDatabase(const std::string &place);

/// The units of these targets and of the build's libraries that they are linked from, or all; each
/// file once. Paths in their flags are absolute.
/// \param files  only these; empty: all
/// \error RL-U01 no unit is left, or the database does not know a file or a target
[[nodiscard]] Result<Program> programOf(const CompileDatabase &database,
                                        const std::vector<std::string> &targets,
                                        const std::vector<std::string> &files,
                                        const HeaderFolders &headers);

} // namespace relayout::instrument
