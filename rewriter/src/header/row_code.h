// SPDX-License-Identifier: Apache-2.0
// Views of plain arrays whose pointers point to rows: `view[i][k]`, and, by its number, element(i).
#pragma once

#include "relayout/rewriter/header.h"

#include <cstdint>
#include <string>

namespace relayout::rewriter {

/// Elements of what a pointer points to: the product of the extents of rows.
[[nodiscard]] std::uint64_t rowElements(const RecordShape &shape);

/// How functions of a plain array's view name the element of a number.
[[nodiscard]] std::string elementAt(const RecordShape &shape, const std::string &number);

/// Types of rows, in front of the views; empty where pointers point to elements.
[[nodiscard]] std::string rowTypes(const RecordShape &shape, const std::string &stem);

/// How a view gets to its elements, as expressions.
struct ElementText {
  std::string reference; ///< their type
  std::string element;   ///< element `i`
  std::string inRow;     ///< element `k` behind element `first`, which begins a row
};

/// Public functions of a view class.
[[nodiscard]] std::string rowAccess(const RecordShape &shape, const std::string &stem,
                                    const std::string &view, const ElementText &text);

} // namespace relayout::rewriter
