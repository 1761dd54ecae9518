// SPDX-License-Identifier: Apache-2.0
// Where the generated headers of vector types are included: CUDA defines these records, so every
// file whose text changes with them includes the header for itself.
#pragma once

#include "apply/include_placer.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace relayout::rewriter {

/// The headers that files of the user's include, by the file's canonical path.
using VectorIncludes = std::map<std::string, std::set<std::string>>;

/// Adds what a unit's edits need in one pass.
void noteVectorHeaders(const Program &program, VectorIncludes &includes);

/// Gives each header a folder: that of the first file that includes it.
void placeVectorHeaders(const instrument::SourceSet &sources, const VectorIncludes &includes,
                        HeaderFolders &folders);

/// Adds the includes, once all units and passes are known.
void includeVectorHeaders(const instrument::SourceSet &sources, const VectorIncludes &includes,
                          const HeaderFolders &folders, EditSet &edits);

} // namespace relayout::rewriter
