// SPDX-License-Identifier: Apache-2.0
// Several source files of one program, read as one translation unit: whatever joins declarations
// inside a file then joins them across files, and a shared header is seen once.
#pragma once

#include "relayout/base/result.h"
#include "relayout/instrument/command.h"
#include "relayout/instrument/source_set.h"

#include <string>

namespace relayout::instrument {

/// What is read behind the text of `command.file`: an #include of each further file, before which
/// the macros that the files before defined for themselves are undefined. Empty for one file.
/// \error RL-C01 a file cannot be read
[[nodiscard]] Result<std::string> joiningText(const CompileCommand &command);

/// Takes the joining text off the main file again, for those who write the files.
void dropJoiningText(const CompileCommand &command, SourceSet &sources);

} // namespace relayout::instrument
