// SPDX-License-Identifier: Apache-2.0
// Text that edits do not reach, or change in another way: inactive branches of the preprocessor,
// and macro arguments that become strings.
#pragma once

#include "pass/program.h"

namespace relayout::rewriter {

/// Warns of branches that this build leaves out and that mention rewritten arrays.
void warnOfInactiveBranches(Program &program);

/// Warns where a use stands in a macro argument of which the macro also makes a string.
void warnOfStringified(Program &program, const Target &target, clang::SourceLocation use);

} // namespace relayout::rewriter
