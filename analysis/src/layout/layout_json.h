// SPDX-License-Identifier: Apache-2.0
// A layout as JSON, in plans and reports. Fields are named, not numbered, so that a person can edit
// it.
#pragma once

#include "relayout/analysis/layout/layout.h"
#include "relayout/base/json_reader.h"

#include <string>
#include <vector>

namespace relayout::analysis {

/// \throws JsonMismatch
[[noreturn]] void failLayout(const std::string &what);

/// \param fields  names, by index
[[nodiscard]] nlohmann::ordered_json toJson(const Layout &layout,
                                            const std::vector<std::string> &fields);

/// Fields that the layout lacks are for the caller to find.
/// \throws JsonMismatch
[[nodiscard]] Layout layoutFrom(const JsonValue &json, const std::string &record,
                                const std::vector<std::string> &fields);

} // namespace relayout::analysis
