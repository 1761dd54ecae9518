// SPDX-License-Identifier: Apache-2.0
// Where a compiler's straight-line code ends: loads are moved up within it, and not beyond.
#pragma once

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
[[nodiscard]] bool turnsOnce(const clang::Stmt &loop, clang::ASTContext &context);

/// A case, default or label that control can reach without entering the statement around it.
[[nodiscard]] bool isEnteredSideways(const clang::Stmt *statement);

/// Turns of a `for` whose variable starts at a constant, is held against another one and is stepped
/// by a third, unless its body does otherwise; 1024 where there are more. Of `do … while (0)` one.
[[nodiscard]] std::optional<std::uint32_t> constantTurns(const clang::Stmt &loop,
                                                         clang::ASTContext &context);

/// Iterations of a loop that nvcc schedules together.
struct Unrolling {
  std::uint32_t iterations = 1;
  bool whole = false; ///< all there are: nothing is left of the loop
};

/// What a pragma that gives no number asks for.
inline constexpr std::uint32_t kUnrollWhole = 0xffffffffu;

/// \param isStraight  no iteration has a branch in it
/// \param count       asked for by a pragma, if any
[[nodiscard]] Unrolling unrollingOf(const clang::Stmt &loop, bool isStraight,
                                    std::optional<std::uint32_t> count, clang::ASTContext &context);

/// Whether the arms are so little that nvcc makes them conditional instructions, not a branch.
[[nodiscard]] bool isPredicated(const clang::IfStmt &branch, clang::ASTContext &context);

/// Whether a value is read through a pointer or a subscript in it.
[[nodiscard]] bool readsMemory(const clang::Stmt *statement, clang::ASTContext &context);

} // namespace relayout::instrument
