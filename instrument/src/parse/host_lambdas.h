// SPDX-License-Identifier: Apache-2.0
// A lambda without marks runs where the function around it does. Clang takes it for a function of
// both sides, so that what host code does in lambdas would be looked at as what a kernel does.
#pragma once

#include <clang/AST/ASTContext.h>

namespace relayout::instrument {

/// Takes the mark of the device, where Clang added it, from lambdas of functions that only the host
/// runs.
void leaveLambdasToTheHost(clang::ASTContext &context);

} // namespace relayout::instrument
