// SPDX-License-Identifier: Apache-2.0
// Operations and code outlines of the site table as JSON.
#pragma once

#include "relayout/base/json_reader.h"
#include "relayout/trace/code_outline.h"
#include "relayout/trace/operations.h"

#include <cstddef>

namespace relayout::trace {

/// Null for kNone.
[[nodiscard]] nlohmann::ordered_json indexToJson(Index index);

[[nodiscard]] nlohmann::ordered_json toJson(const Operations &operations);
[[nodiscard]] Operations operationsFrom(const JsonValue &json);

[[nodiscard]] nlohmann::ordered_json toJson(const CodeOutline &outline);

/// How many rows there are for an outline to point into.
struct TableSizes {
  std::size_t sites = 0;
  std::size_t loops = 0;
  std::size_t outlines = 0; ///< those before it
};
[[nodiscard]] CodeOutline outlineFrom(const JsonValue &json, const TableSizes &sizes);

} // namespace relayout::trace
