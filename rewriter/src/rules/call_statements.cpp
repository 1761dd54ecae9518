// SPDX-License-Identifier: Apache-2.0
// Finds the text that belongs to a statement.
#include "rules/call_statements.h"

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {

using clang::cast;
using clang::dyn_cast;
using clang::isa;

namespace {

std::string indentationOf(const std::string &file, unsigned offset) {
  unsigned begin = offset;
  while (begin > 0 && file[begin - 1] != '\n')
    --begin;
  unsigned end = begin;
  while (end < offset && (file[end] == ' ' || file[end] == '\t'))
    ++end;
  return file.substr(begin, end - begin);
}

bool beginsLine(const std::string &file, unsigned offset) {
  const auto indentation = static_cast<unsigned>(indentationOf(file, offset).size());
  return offset == indentation || file[offset - indentation - 1] == '\n';
}

bool isBody(const clang::Stmt &around, const clang::Stmt *inner) {
  if (const auto *test = dyn_cast<clang::IfStmt>(&around))
    return test->getThen() == inner || test->getElse() == inner;
  if (const auto *loop = dyn_cast<clang::ForStmt>(&around))
    return loop->getBody() == inner;
  if (const auto *loop = dyn_cast<clang::WhileStmt>(&around))
    return loop->getBody() == inner;
  if (const auto *loop = dyn_cast<clang::DoStmt>(&around))
    return loop->getBody() == inner;
  if (const auto *label = dyn_cast<clang::SwitchCase>(&around))
    return label->getSubStmt() == inner;
  const auto *loop = dyn_cast<clang::CXXForRangeStmt>(&around);
  return loop && loop->getBody() == inner;
}

/// The `)` or `else` before a body; invalid elsewhere.
clang::SourceLocation headEnd(const clang::Stmt &around, const clang::Stmt *inner) {
  if (const auto *test = dyn_cast<clang::IfStmt>(&around))
    return test->getElse() == inner ? test->getElseLoc() : test->getRParenLoc();
  if (const auto *loop = dyn_cast<clang::ForStmt>(&around))
    return loop->getRParenLoc();
  if (const auto *loop = dyn_cast<clang::WhileStmt>(&around))
    return loop->getRParenLoc();
  const auto *loop = dyn_cast<clang::CXXForRangeStmt>(&around);
  return loop ? loop->getRParenLoc() : clang::SourceLocation();
}

/// True where an expression names the variable.
bool names(const clang::Stmt *expression, const clang::VarDecl &variable) {
  const auto *name = dyn_cast_or_null<clang::DeclRefExpr>(expression);
  return expression && ((name && name->getDecl() == &variable) ||
                        std::ranges::any_of(expression->children(), [&](const clang::Stmt *child) {
                          return names(child, variable);
                        }));
}

/// `a = p[i].advance(dt)`, into a local variable with which the element is not named.
bool isKeptResult(const Climb &climb, const clang::Stmt &assignment, const clang::Stmt *result,
                  const clang::Expr &element) {
  const clang::Expr *into = nullptr;
  if (const auto *binary = dyn_cast<clang::BinaryOperator>(&assignment)) {
    if (binary->isAssignmentOp() && binary->getRHS() == result)
      into = binary->getLHS();
  } else if (const auto *call = dyn_cast<clang::CXXOperatorCallExpr>(&assignment)) {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    if (call->isAssignmentOp() && callee && callee->isTrivial() && call->getArg(1) == result)
      into = call->getArg(0);
  }
  const auto *name = into ? dyn_cast<clang::DeclRefExpr>(into->IgnoreParens()) : nullptr;
  const auto *variable = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  return variable && variable->hasLocalStorage() && !variable->getType()->isReferenceType() &&
         !climb.program.targetOf(variable) && !names(&element, *variable);
}

} // namespace

std::string lineBefore(const std::string &file, unsigned offset) {
  return beginsLine(file, offset) ? "\n" + indentationOf(file, offset) : " ";
}

std::optional<CallStatement> callStatement(const Climb &climb, const clang::CallExpr &call,
                                           const clang::Expr &element) {
  const clang::Stmt *current = &call;
  const clang::Stmt *parent = climb.program.index.parentOf(current).stmt;
  while (parent && (isa<clang::FullExpr, clang::ParenExpr, clang::ImplicitCastExpr,
                        clang::MaterializeTemporaryExpr>(parent) ||
                    isKeptResult(climb, *parent, current, element))) {
    current = parent;
    parent = climb.program.index.parentOf(current).stmt;
  }
  return wholeStatement(climb, *current);
}

std::optional<CallStatement> wholeStatement(const Climb &climb, const clang::Stmt &whole) {
  const clang::Stmt *current = &whole;
  const clang::Stmt *parent = climb.program.index.parentOf(current).stmt;
  const bool isInBlock =
      isa_and_nonnull<clang::CompoundStmt>(parent) &&
      !isa_and_nonnull<clang::StmtExpr>(climb.program.index.parentOf(parent).stmt);
  if (!parent || (!isInBlock && !isBody(*parent, current)))
    return std::nullopt;
  std::optional<FileRange> range = climb.reader.range(current->getSourceRange());
  const std::optional<clang::SourceLocation> last = climb.reader.spelled(current->getEndLoc());
  const std::optional<clang::Token> semicolon =
      last ? climb.reader.tokenAfter(*last) : std::nullopt;
  const std::optional<FileRange> end =
      semicolon ? climb.reader.tokenRange(semicolon->getLocation()) : std::nullopt;
  if (!range || !end || end->begin.path != range->begin.path || end->begin.offset < range->end ||
      climb.reader.text(*semicolon) != ";")
    return std::nullopt;
  range->end = end->end;
  const std::string &file = climb.reader.fileText(range->begin.path);
  CallStatement statement{*range, indentationOf(file, range->begin.offset), {}, {}, false, {}};
  statement.isAlone = isInBlock && cast<clang::CompoundStmt>(parent)->size() == 1;
  if (const std::optional<FileRange> head = climb.reader.tokenRange(headEnd(*parent, current));
      head && head->begin.path == range->begin.path &&
      file.find_first_not_of(" \t\r\n", head->end) == range->begin.offset &&
      file.substr(head->end, range->begin.offset - head->end).find('\n') != std::string::npos) {
    statement.gap = FileRange{{range->begin.path, head->end}, range->begin.offset};
    statement.indentation = indentationOf(file, head->begin.offset);
  }
  const auto *test = dyn_cast<clang::IfStmt>(parent);
  if (const std::optional<FilePlace> otherwise =
          test && test->getThen() == current && test->getElse()
              ? climb.reader.place(test->getElseLoc())
              : std::nullopt;
      otherwise && otherwise->path == range->begin.path &&
      file.find_first_not_of(" \t\r\n", range->end) == otherwise->offset)
    statement.beforeElse = FileRange{{range->begin.path, range->end}, otherwise->offset};
  statement.line = "\n" + statement.indentation + "  ";
  if (statement.isAlone)
    statement.line = lineBefore(file, range->begin.offset);
  return statement;
}

std::pair<int, long> beforeAllOf(const FileRange &statement) {
  return {1, -long(statement.end) - 1};
}

void editBlock(TokenEdits &edits, const CallStatement &statement, const std::string &first,
               const std::string &last) {
  const FileRange &range = statement.range;
  if (statement.isAlone) {
    edits.add({{range.begin, range.begin.offset},
               first.substr(statement.line.size()),
               beforeAllOf(range)});
    return edits.add(
        {{{range.begin.path, range.end}, range.end}, last, {0, -long(range.begin.offset)}});
  }
  if (statement.gap)
    edits.add({*statement.gap, " {" + first});
  else
    edits.add({{range.begin, range.begin.offset}, "{" + first, beforeAllOf(range)});
  const std::string closing = fmt::format("{}\n{}}}", last, statement.indentation);
  if (statement.beforeElse)
    return edits.add({*statement.beforeElse, closing + " "});
  edits.add({{{range.begin.path, range.end}, range.end}, closing, {0, -long(range.begin.offset)}});
}

} // namespace relayout::rewriter
