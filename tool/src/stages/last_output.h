// SPDX-License-Identifier: Apache-2.0
// What a program printed before it failed.
#pragma once

#include "relayout/base/result.h"

#include <string>
#include <vector>

namespace relayout::tool {

/// A note with the last lines of the file, which often say why; none if it is empty or not there.
[[nodiscard]] std::vector<Note> lastOutput(const std::string &outputFile);

} // namespace relayout::tool
