// SPDX-License-Identifier: Apache-2.0
// Host code that looks at the padding of records, which arrays in device memory do not keep.
#pragma once

#include "pass/program.h"

namespace relayout::rewriter {

/// Warns of `memcmp` of records with padding that are rewritten: after a copy to the device and
/// back their padding is zero.
void warnOfComparedBytes(Program &program);

} // namespace relayout::rewriter
