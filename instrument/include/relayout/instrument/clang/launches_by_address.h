// SPDX-License-Identifier: Apache-2.0
// Launches that give a kernel the addresses of its arguments.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <optional>
#include <vector>

namespace relayout::instrument {

/// `void *arguments[] = {&p, &n}; cudaLaunchKernel((void *)kernel, grid, block, arguments)`
struct LaunchByAddress {
  const clang::FunctionDecl *kernel = nullptr;
  const clang::VarDecl *addresses = nullptr;
  /// What the addresses lead to, by parameter; null where that does not show.
  std::vector<const clang::Expr *> arguments;
};

/// \returns  nothing for other calls, and where the call does not name the kernel or its array, or
///           the array has no list of addresses as its start value
[[nodiscard]] std::optional<LaunchByAddress> launchByAddress(const clang::CallExpr &call);

} // namespace relayout::instrument
