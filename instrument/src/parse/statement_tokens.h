// SPDX-License-Identifier: Apache-2.0
// Where a statement begins and ends among the tokens of its unit.
#pragma once

#include "relayout/instrument/clang/token_edits.h"

#include <clang/AST/Stmt.h>

namespace relayout::instrument {

struct TokenRange {
  TokenEdits::Index first = 0, last = 0;

  auto operator<=>(const TokenRange &) const = default;
};

/// A statement's tokens, its semicolon included. Nothing where one of them is not to be found.
[[nodiscard]] std::optional<TokenRange> tokensOf(const TokenEdits &edits,
                                                 const clang::Stmt *statement);

/// Lets every iteration of a loop begin with this statement, whose semicolon is added.
/// \returns  false where the text cannot be edited
[[nodiscard]] bool insertInBody(TokenEdits &edits, const clang::Stmt *loop,
                                const std::string &statement);

/// The one behind what a `for` begins with.
[[nodiscard]] std::optional<TokenEdits::Index> firstSemicolon(const TokenEdits &edits,
                                                              const clang::ForStmt *loop);

} // namespace relayout::instrument
