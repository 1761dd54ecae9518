// SPDX-License-Identifier: Apache-2.0
// Where a statement begins and ends among the tokens of its unit.
#include "parse/statement_tokens.h"

#include <clang/AST/StmtCXX.h>

#include <fmt/format.h>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;

std::optional<TokenEdits::Index> lastToken(const TokenEdits &edits, const clang::Stmt *statement) {
  if (!statement)
    return std::nullopt;
  const clang::Stmt *inner = nullptr;
  if (const auto *branch = dyn_cast<clang::IfStmt>(statement))
    inner = branch->getElse() ? branch->getElse() : branch->getThen();
  else if (const auto *counted = dyn_cast<clang::ForStmt>(statement))
    inner = counted->getBody();
  else if (const auto *tested = dyn_cast<clang::WhileStmt>(statement))
    inner = tested->getBody();
  else if (const auto *range = dyn_cast<clang::CXXForRangeStmt>(statement))
    inner = range->getBody();
  else if (const auto *choice = dyn_cast<clang::SwitchStmt>(statement))
    inner = choice->getBody();
  else if (const auto *option = dyn_cast<clang::SwitchCase>(statement))
    inner = option->getSubStmt();
  else if (const auto *label = dyn_cast<clang::LabelStmt>(statement))
    inner = label->getSubStmt();
  else if (const auto *attributed = dyn_cast<clang::AttributedStmt>(statement))
    inner = attributed->getSubStmt();
  if (inner)
    return lastToken(edits, inner);
  const auto end = edits.indexOf(statement->getEndLoc());
  if (!end || isa<clang::CompoundStmt>(statement) || edits.token(*end).is(clang::tok::semi))
    return end;
  if (*end + 1 < edits.size() && edits.token(*end + 1).is(clang::tok::semi))
    return *end + 1;
  return std::nullopt;
}

const clang::Stmt *bodyOf(const clang::Stmt *loop) {
  if (const auto *counted = dyn_cast<clang::ForStmt>(loop))
    return counted->getBody();
  if (const auto *tested = dyn_cast<clang::WhileStmt>(loop))
    return tested->getBody();
  if (const auto *range = dyn_cast<clang::CXXForRangeStmt>(loop))
    return range->getBody();
  return clang::cast<clang::DoStmt>(loop)->getBody();
}

} // namespace

std::optional<TokenRange> tokensOf(const TokenEdits &edits, const clang::Stmt *statement) {
  const auto first = statement ? edits.indexOf(statement->getBeginLoc()) : std::nullopt;
  const auto last = lastToken(edits, statement);
  if (!first || !last)
    return std::nullopt;
  return TokenRange{*first, *last};
}

bool insertInBody(TokenEdits &edits, const clang::Stmt *loop, const std::string &statement) {
  const clang::Stmt *body = bodyOf(loop);
  const auto range = tokensOf(edits, body);
  if (!range)
    return false;
  if (isa<clang::CompoundStmt>(body))
    edits.insertAfter(range->first, fmt::format(" {};", statement));
  else
    edits.wrap(range->first, range->last, fmt::format("{{ {}; ", statement), " }");
  return true;
}

std::optional<TokenEdits::Index> firstSemicolon(const TokenEdits &edits,
                                                const clang::ForStmt *loop) {
  const auto open = edits.indexOf(loop->getLParenLoc());
  if (!open)
    return std::nullopt;
  int depth = 0;
  for (TokenEdits::Index i = *open + 1; i < edits.size() && depth >= 0; ++i) {
    const clang::Token &token = edits.token(i);
    if (token.isOneOf(clang::tok::l_paren, clang::tok::l_brace, clang::tok::l_square))
      ++depth;
    else if (token.isOneOf(clang::tok::r_paren, clang::tok::r_brace, clang::tok::r_square))
      --depth;
    else if (depth == 0 && token.is(clang::tok::semi))
      return i;
  }
  return std::nullopt;
}

} // namespace relayout::instrument
