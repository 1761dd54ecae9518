// SPDX-License-Identifier: Apache-2.0
// Macros of the program that are named like something in a generated header.
#pragma once

#include "pass/program.h"

namespace relayout::rewriter {

/// Refuses macros with the name of what rewritten uses call; has the header hide the others from
/// its own text.
void refuseMacrosOfNames(Program &program);

} // namespace relayout::rewriter
