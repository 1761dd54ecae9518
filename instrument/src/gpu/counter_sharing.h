// SPDX-License-Identifier: Apache-2.0
// GPU tracing: which accesses of a function one counter counts, and which counters a loop keeps in
// registers.
#pragma once

#include "model/program_reader.h"

namespace relayout::instrument {

/// Sets Point::countedBy, counter, together and recordsInPlace of every access whose text can be
/// edited, and of loops whether their lanes part.
///
/// Accesses share a count when the same lanes run them the same number of times: no branch, no
/// short-circuit operator and no way out of the loop or function lies between them. They must also
/// be in the same kind of memory, as only global memory is counted: through the same variable, or
/// through parameters of the kernel. Where the instantiations of a template disagree, or a function
/// has labels, each access counts itself.
void shareCounts(UnitReading &unit);

} // namespace relayout::instrument
