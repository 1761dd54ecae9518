// SPDX-License-Identifier: Apache-2.0
// Where the generated headers of vector types are included: CUDA defines these records, so every
// file whose text changes with them includes the header for itself.
#pragma once

#include "pass/program.h"

#include <map>
#include <string>
#include <vector>

namespace relayout::rewriter {

/// Where generated headers go, by file name: their paths below the output folder.
using HeaderPaths = std::map<std::string, std::string>;

/// Adds the includes to the files that `program.editedFiles` names.
/// \param sources  the user's files, the main file first
/// \param paths    of headers placed by an earlier pass; those of this pass are added
void includeVectorHeaders(Program &program, const instrument::SourceSet &sources,
                          HeaderPaths &paths);

/// The offset behind the directives that a file starts with: its include guard and its includes.
[[nodiscard]] unsigned behindIncludes(const std::string &text);

} // namespace relayout::rewriter
