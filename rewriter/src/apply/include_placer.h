// SPDX-License-Identifier: Apache-2.0
// Where the generated headers of a record are included.
#pragma once

#include "pass/program.h"

#include <map>
#include <string>
#include <vector>

namespace relayout::rewriter {

/// Where each generated header lies, by its name: beside the file that defines the record first.
using HeaderFolders = std::map<std::string, std::string>;

/// Adds `#include "particle_layout.h"` behind the line that ends the record's definition.
/// Namespaces around it are closed and opened again.
/// \param targets  of one definition: a record's layouts, a class template's instances
/// \param headers  the names of their headers, and of those that other units need there
/// \param folders  gains the headers that have none yet
void placeIncludes(Program &program, const std::vector<const Target *> &targets,
                   const std::vector<std::string> &headers, HeaderFolders &folders);

} // namespace relayout::rewriter
