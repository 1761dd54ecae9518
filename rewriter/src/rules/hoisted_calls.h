// SPDX-License-Identifier: Apache-2.0
// Calls that change an element and are parts of larger statements: they move in front, and a
// variable stands for what they return.
#pragma once

#include "rules/call_statements.h"
#include "rules/write_back.h"

namespace relayout::rewriter {

/// Where a call moves to.
struct HoistedCall {
  std::string obstacle;                    ///< why it cannot move; empty: nothing
  const clang::Expr *expression = nullptr; ///< the outermost around the call
  FilePlace function = {};                 ///< where its body begins
  FileRange call = {};
  FileRange statement = {};                ///< up to the end of the call
  std::optional<CallStatement> block = {}; ///< where a block takes the statement's place
  /// The end of a declaration that the call alone initialises: it stays there, the store follows.
  std::optional<FilePlace> behind = {};
  std::string line = {}; ///< stands between two of the lines
};

/// \param element  which the call changes
/// \param effects  of the call on it
[[nodiscard]] HoistedCall hoistedCall(const Climb &climb, const clang::CallExpr &call,
                                      const clang::Expr &element, const ElementEffects &effects);

/// Writes the lines.
void editHoisted(TokenEdits &edits, Climb &climb, const HoistedCall &hoisted,
                 const ElementText &access, const WriteBack &back);

} // namespace relayout::rewriter
