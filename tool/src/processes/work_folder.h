// SPDX-License-Identifier: Apache-2.0
// Where the user's program runs.
#pragma once

#include <string>

namespace relayout::tool {

/// The folder in which the user's programs run from now on; at first the current one.
void runProgramsIn(const std::string &folder);

/// For ProcessRequest::folder.
[[nodiscard]] const std::string &workFolder();

} // namespace relayout::tool
