// SPDX-License-Identifier: Apache-2.0
// Where something is, as messages say it.
#pragma once

#include "relayout/base/result.h"

#include <clang/Basic/SourceManager.h>

namespace relayout::instrument {

/// The place of `location`, a macro's where it is expanded, as `#line` has it. A file has one name
/// in all units, whichever way they include it: `a/../b/grid.h` is `b/grid.h`. Empty if there is
/// none.
[[nodiscard]] SourcePlace presumedPlace(const clang::SourceManager &sources,
                                        clang::SourceLocation location);

} // namespace relayout::instrument
