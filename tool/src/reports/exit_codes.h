// SPDX-License-Identifier: Apache-2.0
// Exit codes of every subcommand; `--help` prints them.
#pragma once

#include "relayout/base/diagnostic_codes.h"

namespace relayout::tool {

inline constexpr int kDone = static_cast<int>(ExitCode::Done);
inline constexpr int kFailed = static_cast<int>(ExitCode::Failed);
inline constexpr int kUsage = static_cast<int>(ExitCode::Usage);
inline constexpr int kRefused = static_cast<int>(ExitCode::Refused);
inline constexpr int kIncomplete = static_cast<int>(ExitCode::Incomplete);

} // namespace relayout::tool
