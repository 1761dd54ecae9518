// SPDX-License-Identifier: Apache-2.0
// What CMake's targets are linked from, as the files of its generators for make and ninja say.
#pragma once

#include "relayout/instrument/compile_database.h"

#include <set>
#include <string>
#include <vector>

namespace relayout::instrument {

/// The targets, and the libraries of the same build that they are linked from, and so on.
/// \param targets  of the database
[[nodiscard]] std::set<std::string> withLibraries(const CompileDatabase &database,
                                                  const std::vector<std::string> &targets);

/// The targets that are programs, as far as these files say.
[[nodiscard]] std::set<std::string> programsOf(const CompileDatabase &database);

/// CMake's target of an object, by its path: CMakeFiles/NAME.dir; empty for other paths.
[[nodiscard]] std::string targetOf(const std::string &object);

} // namespace relayout::instrument
