// SPDX-License-Identifier: Apache-2.0
// Edits of single tokens and around expressions.
#include "edits/token_edits.h"

namespace relayout::rewriter {
namespace {

/// The end of an expression that a macro spells, where one does.
clang::SourceLocation macroOf(const clang::Expr &expression) {
  for (const clang::SourceLocation end : {expression.getBeginLoc(), expression.getEndLoc()})
    if (end.isMacroID())
      return end;
  return expression.getExprLoc();
}

} // namespace

void TokenEdits::fail(clang::SourceLocation where) {
  if (!failedAt_)
    failedAt_ = where;
}

void TokenEdits::replace(clang::SourceLocation token, const std::string &expected,
                         const std::string &text) {
  const std::optional<clang::SourceLocation> spelled = reader_->spelled(token);
  const std::optional<FileRange> range = spelled ? reader_->tokenRange(*spelled) : std::nullopt;
  if (!range || reader_->text(*range) != expected)
    return fail(token);
  add({*range, text});
}

void TokenEdits::insertBefore(const clang::Expr &expression, const std::string &text) {
  const std::optional<FileRange> range = reader_->range(expression.getSourceRange());
  if (!range)
    return fail(macroOf(expression));
  add({{range->begin, range->begin.offset}, text, {1, -long(range->end)}});
}

void TokenEdits::insertAfter(const clang::Expr &expression, const std::string &text) {
  const std::optional<FileRange> range = reader_->range(expression.getSourceRange());
  if (!range)
    return fail(macroOf(expression));
  add({{{range->begin.path, range->end}, range->end}, text, {0, -long(range->begin.offset)}});
}

void TokenEdits::replaceBrackets(const clang::ArraySubscriptExpr &subscript, std::string open,
                                 std::string close) {
  const auto *index = clang::dyn_cast<clang::BinaryOperator>(subscript.getIdx()->IgnoreImpCasts());
  if (index && index->isCommaOp()) { // would be two arguments
    open += '(';
    close.insert(0, ")");
  }
  if (!reader_->spelled(subscript.getRBracketLoc())) // `#define AT(p, i) p[i]`
    return fail(subscript.getRBracketLoc());
  const std::optional<clang::SourceLocation> baseEnd =
      reader_->spelled(subscript.getLHS()->getEndLoc());
  const std::optional<clang::Token> bracket =
      baseEnd ? reader_->tokenAfter(*baseEnd) : std::nullopt;
  if (!bracket)
    return fail(subscript.getLHS()->getEndLoc());
  replace(bracket->getLocation(), "[", open);
  replace(subscript.getRBracketLoc(), "]", close);
}

void TokenEdits::replaceSubscript(const clang::ArraySubscriptExpr &subscript,
                                  const std::string &text) {
  const std::optional<clang::SourceLocation> baseEnd =
      reader_->spelled(subscript.getLHS()->getEndLoc());
  const std::optional<clang::Token> bracket =
      baseEnd ? reader_->tokenAfter(*baseEnd) : std::nullopt;
  const std::optional<FileRange> open =
      bracket ? reader_->tokenRange(bracket->getLocation()) : std::nullopt;
  const std::optional<clang::SourceLocation> last = reader_->spelled(subscript.getRBracketLoc());
  const std::optional<FileRange> close = last ? reader_->tokenRange(*last) : std::nullopt;
  if (!open || !close || reader_->text(*open) != "[" || reader_->text(*close) != "]" ||
      open->begin.path != close->begin.path || open->end > close->begin.offset)
    return fail(subscript.getRBracketLoc());
  add({{open->begin, close->end}, text});
}

void TokenEdits::dropStar(const clang::UnaryOperator &dereference) {
  replace(dereference.getOperatorLoc(), "*", "");
  if (failed())
    return;
  FileRange &star = edits_.back().range;
  const std::string &file = reader_->fileText(star.begin.path);
  while (star.end < file.size() && file[star.end] == ' ')
    ++star.end;
}

void TokenEdits::dropParens(const clang::ParenExpr &parens) {
  replace(parens.getLParen(), "(", "");
  replace(parens.getRParen(), ")", "");
}

} // namespace relayout::rewriter
