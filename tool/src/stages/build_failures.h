// SPDX-License-Identifier: Apache-2.0
// Why a build failed, where the reason is this machine and not the source.
#pragma once

#include "relayout/base/diagnostic.h"

#include <optional>
#include <string>

namespace relayout::tool {

/// The library that the linker did not find, as `-l` names it; empty where it found all.
[[nodiscard]] std::string missingLibrary(const std::string &buildLog);

/// Reads what a compiler or linker said.
/// \param buildLog  all of it
/// \returns  RL-X01 with the reason; nothing where the machine is not to blame
[[nodiscard]] std::optional<Error> environmentFailure(const std::string &buildLog);

} // namespace relayout::tool
