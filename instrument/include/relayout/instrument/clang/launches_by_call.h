// SPDX-License-Identifier: Apache-2.0
// Launches that call a function of the runtime library.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <optional>
#include <vector>

namespace relayout::instrument {

/// `void *arguments[] = {&p, &n}; cudaLaunchKernel((void *)kernel, grid, block, arguments)`, or
/// `cudaLaunchKernelEx(&configuration, kernel, p, n)`
struct LaunchByCall {
  const clang::FunctionDecl *kernel = nullptr;
  const clang::VarDecl *addresses = nullptr; ///< null: the call is given the arguments themselves
  /// By parameter; null where they do not show.
  std::vector<const clang::Expr *> arguments;
};

/// \returns  nothing for other calls, and where the call does not name the kernel or its array, or
///           the array has no list of addresses as its start value
[[nodiscard]] std::optional<LaunchByCall> launchByCall(const clang::CallExpr &call);

} // namespace relayout::instrument
