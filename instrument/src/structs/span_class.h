// SPDX-License-Identifier: Apache-2.0
// The classes that stand for the spans of a record in device memory.
#pragma once

#include "model/span_uses.h"

#include <set>
#include <string>

namespace relayout::instrument {

struct SpanClass {
  std::string name;                            ///< of spans of elements that may change
  std::string element;                         ///< as the classes write it
  std::string library;                         ///< `std` or `cuda::std`
  bool hasMutable = false, hasConst = false;   ///< the program has spans of such elements
  std::set<SpanPart> mutableParts, constParts; ///< that it uses
};

[[nodiscard]] std::string constSpanName(const std::string &name);

/// Their definitions: what a span can do, as far as the program uses it.
[[nodiscard]] std::string textOf(const SpanClass &span);

} // namespace relayout::instrument
