// SPDX-License-Identifier: Apache-2.0
// Whether a unit may read or write bytes of what a pointer without a type leads to.
#pragma once

#include "relayout/instrument/clang/front_end.h"

namespace relayout::rewriter {

/// False where every variable of type `void *` is only put into others, given back, freed, printed,
/// or cast to pointers of types that are no bytes: what it leads to may change its size then.
[[nodiscard]] bool readsUntypedBytes(instrument::ParsedUnit &unit);

} // namespace relayout::rewriter
