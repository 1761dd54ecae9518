// SPDX-License-Identifier: Apache-2.0
// Which files a unit is made of, by Clang's preprocessor.
#pragma once

#include "relayout/instrument/command.h"

#include <filesystem>
#include <set>

namespace relayout::instrument {

/// The unit's main file and all that it includes on the host or on the device, directly or not;
/// canonical paths. Headers of the system and of CUDA are left out, and what cannot be found.
[[nodiscard]] std::set<std::filesystem::path> includedFiles(const CompileCommand &unit);

} // namespace relayout::instrument
