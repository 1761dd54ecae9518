// SPDX-License-Identifier: Apache-2.0
// Checks of option values, with messages as all subcommands word them.
#pragma once

#include <CLI/CLI.hpp>

namespace relayout::tool {

/// For options that take a number above 0.
[[nodiscard]] CLI::Validator positiveNumber();

} // namespace relayout::tool
