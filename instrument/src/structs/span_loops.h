// SPDX-License-Identifier: Apache-2.0
// `for (auto &p : particles)`: a class that holds a pointer has no iterators.
#pragma once

#include "model/span_uses.h"
#include "structs/split_text.h"

namespace relayout::instrument {

/// Writes the loop with an index.
/// \returns  whether it can be
[[nodiscard]] bool addLoop(ParsedUnit &unit, const SpanLoop &loop, SplitText &text);

} // namespace relayout::instrument
