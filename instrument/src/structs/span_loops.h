// SPDX-License-Identifier: Apache-2.0
// `for (auto &p : particles)`: a class that holds a pointer has no iterators.
#pragma once

#include "model/span_uses.h"
#include "structs/split_text.h"

#include <string>
#include <vector>

namespace relayout::instrument {

/// Text in the place of other text.
struct SpanEdit {
  TypePlace begin;
  unsigned end = 0;
  std::string text;
};

/// Writes the loop with an index.
/// \returns  whether it can be
[[nodiscard]] bool addLoop(ParsedUnit &unit, const SpanLoop &loop, const SplitText &text,
                           std::vector<SpanEdit> &edits);

} // namespace relayout::instrument
