// SPDX-License-Identifier: Apache-2.0
// A verification as data.
#pragma once

#include "stages/output_check.h"
#include "stages/stages.h"

#include <nlohmann/json_fwd.hpp>

namespace relayout::tool {

/// The keys are those of "verification" in docs/command-line.md.
[[nodiscard]] nlohmann::ordered_json toJson(const Verification &verification,
                                            const OutputCheck &check);

} // namespace relayout::tool
