// SPDX-License-Identifier: Apache-2.0
// `--limit`: ends relayout when a stage takes too long. What it started ends with it (watchdog.h).
#pragma once

#include <chrono>
#include <string>

namespace relayout::tool {

/// From here on, each stage may take so long; 0: any time. The first stage begins now.
void limitStages(std::chrono::seconds limit);

/// How long a stage may take; 0: any time.
[[nodiscard]] std::chrono::seconds stageLimit();

/// The clock starts again.
/// \param stage  in the message if the limit is exceeded
void beginLimitedStage(const std::string &stage);

} // namespace relayout::tool
