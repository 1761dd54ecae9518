// SPDX-License-Identifier: Apache-2.0
// Why policy replay decided as it did for one record: kernel by kernel and site by site.
#pragma once

#include "relayout/base/result.h"

#include <string>
#include <string_view>

namespace relayout::analysis {

/// The choice, the runner-up and the source's layout of every group of a record: predicted times,
/// what each kernel waits for, and what each site moves; measured times where the report has them.
/// \param report  what replayReportJson() made
/// \error RL-A04 it is no such report, or has no such record; the text lists those it has
[[nodiscard]] Result<std::string> explainRecord(std::string_view report, const std::string &record);

} // namespace relayout::analysis
