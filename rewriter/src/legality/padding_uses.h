// SPDX-License-Identifier: Apache-2.0
// Host code that looks at the padding of records, which arrays in device memory do not keep.
#pragma once

#include "pass/program.h"

namespace relayout::rewriter {

/// Warns of records with padding that are rewritten and whose bytes are compared, written to a
/// file, or given to a function of the program's own that reads them: after a copy to the device
/// and back their padding is zero.
void warnOfUsedPadding(Program &program);

} // namespace relayout::rewriter
