// SPDX-License-Identifier: Apache-2.0
// Statements that are one call, and what stands around them: a block can take their place.
#pragma once

#include "rules/climb.h"

namespace relayout::rewriter {

/// The statement that a call is, with the text around it.
struct CallStatement {
  FileRange range; ///< up to the semicolon
  std::string indentation;
  std::optional<FileRange> gap; ///< from the `)` of an `if` or loop to its body on the next line
  std::optional<FileRange> beforeElse; ///< from the semicolon to the `else` that follows
  bool isAlone = false;                ///< the only statement of a block
  std::string line;                    ///< stands between two of the statements that take its place
};

/// The statement, with an assignment of the result to a local variable if there is one.
/// \param element  which the call changes; that variable is none of its own
/// \returns  nothing where the call is a part of anything else
[[nodiscard]] std::optional<CallStatement>
callStatement(const Climb &climb, const clang::CallExpr &call, const clang::Expr &element);

/// An expression or a `return` that is a statement.
/// \returns  nothing where it is none
[[nodiscard]] std::optional<CallStatement> wholeStatement(const Climb &climb,
                                                          const clang::Stmt &statement);

/// What stands between a line in front of a statement and the statement.
[[nodiscard]] std::string lineBefore(const std::string &file, unsigned offset);

/// The order of what is inserted in front of a statement, before what opens a part of it.
[[nodiscard]] std::pair<int, long> beforeAllOf(const FileRange &statement);

/// Makes a block of the statement, unless it is the only one of a block.
/// \param first  begins with a line break, which is that behind the `{`
/// \param last  precedes the line of the `}`
void editBlock(TokenEdits &edits, const CallStatement &statement, const std::string &first,
               const std::string &last);

} // namespace relayout::rewriter
