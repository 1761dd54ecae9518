// SPDX-License-Identifier: Apache-2.0
// Arrays that are variables, in device or shared memory: what their layout may not do.
#pragma once

#include "pass/program.h"

namespace relayout::rewriter {

/// Notes that some of a group's arrays are variables, which have the extents of their types and no
/// others at run time, and refuses layouts that these cannot have.
void noteArrayVariables(const instrument::ArrayGroup &arrays, Target &target, Program &program);

} // namespace relayout::rewriter
