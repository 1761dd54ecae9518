// SPDX-License-Identifier: Apache-2.0
// Whether several source files mean the same when they are read as one.
#pragma once

#include "relayout/instrument/clang/front_end.h"

namespace relayout::instrument {

/// Holds when every name that one of the files uses is declared in that file itself or in a header:
/// a name that only another of them declares would mean something else, or nothing, in a compile of
/// its own.
/// \error RL-C06 the first name for which it does not hold
[[nodiscard]] Result<void> checkJoined(ParsedUnit &unit, const CompileCommand &command);

} // namespace relayout::instrument
