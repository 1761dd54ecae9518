// SPDX-License-Identifier: Apache-2.0
// What range-based loops over spans go through.
#pragma once

#include <clang/AST/StmtCXX.h>

namespace relayout::instrument {

/// `s` or `a.s`, of a local variable that means the same in each iteration: the loop does not
/// change it, and nothing else can.
[[nodiscard]] bool visitsUnchangedVariable(const clang::CXXForRangeStmt &loop);

} // namespace relayout::instrument
