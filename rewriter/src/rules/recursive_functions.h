// SPDX-License-Identifier: Apache-2.0
// Device functions that call themselves. CUDA cannot tell how deep their calls go, and gives each
// thread a stack of 1 KiB unless the program asks for more.
#pragma once

#include "pass/program.h"

namespace relayout::rewriter {

/// True for a parameter of such a function that becomes a view of several pointers: as `const View
/// &` it takes as much of the stack in each call as the pointer did. Neither the parameter nor what
/// any call gives for it changes while the call runs, no pointer to the function is taken, and no
/// other unit has its text.
[[nodiscard]] bool isTakenByReference(const Program &program,
                                      const clang::DeclaratorDecl &declarator,
                                      const Target &target);

} // namespace relayout::rewriter
