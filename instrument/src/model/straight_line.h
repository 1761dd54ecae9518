// SPDX-License-Identifier: Apache-2.0
// What of a program's branches and loops a compiler knows from constants.
#pragma once

#include "relayout/trace/code_outline.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace relayout::instrument {

/// What never runs of an `if`, `?:`, `&&` or `||` whose way is known when it is compiled, as its
/// condition is a constant: no branch is left of it.
/// \returns  null: all of it runs; nothing: the way is not known, or control can jump into what
///           would be left out
[[nodiscard]] std::optional<const clang::Stmt *> neverRuns(const clang::Stmt &choice,
                                                           clang::ASTContext &context);

/// A statement's parts less what never runs of it.
[[nodiscard]] std::vector<const clang::Stmt *> runningParts(const clang::Stmt &statement,
                                                            clang::ASTContext &context);

/// `do … while (0)`, as macros have it.
[[nodiscard]] bool runsOnce(const clang::Stmt &loop, clang::ASTContext &context);

/// A case, default or label that control can reach without entering the statement around it.
[[nodiscard]] bool isEnteredSideways(const clang::Stmt *statement);

/// Iterations of a `for` whose variable starts at a constant, is compared with another one and is
/// stepped by a third, unless its body does otherwise; 1024 where there are more. Of
/// `do … while (0)` one.
[[nodiscard]] std::optional<std::uint32_t> constantTrips(const clang::Stmt &loop,
                                                         clang::ASTContext &context);

/// What its arms hold.
[[nodiscard]] trace::code::Branch branchOf(const clang::IfStmt &statement,
                                           clang::ASTContext &context);

/// Whether a value is read through a pointer or a subscript in it.
[[nodiscard]] bool readsMemory(const clang::Stmt *statement, clang::ASTContext &context);

} // namespace relayout::instrument
