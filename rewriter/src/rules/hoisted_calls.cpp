// SPDX-License-Identifier: Apache-2.0
// Finds the statement that a call moves in front of, and writes both.
#include "rules/hoisted_calls.h"

#include "edits/words.h"
#include "legality/early_calls.h"

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::dyn_cast_or_null;
using clang::isa;

namespace {

HoistedCall unable(std::string why) { return {.obstacle = std::move(why)}; }

/// Whether a jump, or the `switch` around, may lead into a block, past what would be declared
/// there.
bool mayBeEntered(const clang::Stmt &block, bool isInSwitch = false) {
  return std::ranges::any_of(block.children(), [isInSwitch](const clang::Stmt *inner) {
    return inner &&
           (isa<clang::LabelStmt>(inner) || (isa<clang::SwitchCase>(inner) && !isInSwitch) ||
            mayBeEntered(*inner, isInSwitch || isa<clang::SwitchStmt>(inner)));
  });
}

/// Whether lines can stand in front of a statement.
bool isInOpenBlock(const ParentIndex &index, const clang::Stmt &statement) {
  const clang::Stmt *block = index.parentOf(&statement).stmt;
  const clang::Stmt *around = block ? index.parentOf(block).stmt : nullptr;
  return isa_and_nonnull<clang::CompoundStmt>(block) &&
         !isa_and_nonnull<clang::StmtExpr, clang::SwitchStmt>(around) && !mayBeEntered(*block);
}

/// Where a macro's argument stands is not where it is evaluated.
bool isOutsideMacros(const SourceReader &reader, const clang::SourceManager &sources,
                     clang::SourceLocation location) {
  return reader.spelled(location) == sources.getExpansionLoc(location);
}

/// The condition of an `if` or `switch` that declares nothing.
bool isCondition(const clang::Stmt &around, const clang::Expr &expression) {
  if (const auto *test = dyn_cast<clang::IfStmt>(&around))
    return test->getCond() == &expression && !test->getInit() && !test->getConditionVariable() &&
           !test->isConstexpr();
  const auto *choice = dyn_cast<clang::SwitchStmt>(&around);
  return choice && choice->getCond() == &expression && !choice->getInit() &&
         !choice->getConditionVariable();
}

/// The declaration of one local variable, which is no reference.
const clang::DeclStmt *declarationBy(const ParentIndex &index, const clang::Decl *declared) {
  const auto *variable = dyn_cast_or_null<clang::VarDecl>(declared);
  const clang::DeclStmt *statement = variable ? index.declarationOf(*variable) : nullptr;
  return statement && statement->isSingleDecl() && variable->hasLocalStorage() &&
                 !isa<clang::DecompositionDecl>(variable) && !variable->getType()->isReferenceType()
             ? statement
             : nullptr;
}

/// Whether the call's value needs no more than a conversion of the language's.
bool isWholeValue(const clang::Expr &expression, const clang::CallExpr &call) {
  const clang::Expr *inner = &expression;
  while (inner != &call) {
    const auto *conversion = dyn_cast<clang::ImplicitCastExpr>(inner);
    if (const auto *full = dyn_cast<clang::FullExpr>(inner))
      inner = full->getSubExpr();
    else if (const auto *parens = dyn_cast<clang::ParenExpr>(inner))
      inner = parens->getSubExpr();
    else if (conversion && !conversion->getConversionFunction())
      inner = conversion->getSubExpr();
    else
      return false;
  }
  return true;
}

/// The statement around an expression that can have lines in front; null: there is none.
const clang::Stmt *statementAround(const ParentIndex &index, const clang::Expr &expression) {
  const Parent around = index.parentOf(&expression);
  const clang::Stmt *statement = around.stmt;
  if (!statement)
    statement = declarationBy(index, around.decl);
  else if (!isCondition(*statement, expression))
    return isa<clang::ReturnStmt>(statement) ? statement : &expression;
  return statement && isInOpenBlock(index, *statement) ? statement : nullptr;
}

/// Fills in where the text is.
/// \returns  whether it can be edited
bool find(HoistedCall &hoisted, const Climb &climb, const clang::Stmt &statement,
          const clang::CallExpr &call) {
  const SourceReader &reader = climb.reader;
  for (const clang::SourceLocation location :
       {statement.getBeginLoc(), call.getBeginLoc(), call.getEndLoc()})
    if (!isOutsideMacros(reader, climb.program.unit.sources(), location))
      return false;
  const std::optional<FileRange> inner = reader.range(call.getSourceRange());
  const std::optional<FilePlace> begin = reader.place(statement.getBeginLoc());
  const std::optional<FilePlace> function = reader.place(climb.function->getBody()->getBeginLoc());
  if (!inner || !begin || !function || inner->begin.path != begin->path)
    return false;
  hoisted.function = *function;
  hoisted.call = *inner;
  hoisted.statement = {*begin, inner->end};
  hoisted.line = lineBefore(reader.fileText(begin->path), begin->offset);
  if (isa<clang::Expr, clang::ReturnStmt>(statement)) {
    hoisted.block = wholeStatement(climb, statement);
    if (hoisted.block)
      hoisted.line = hoisted.block->line;
    return hoisted.block.has_value();
  }
  if (!isa<clang::DeclStmt>(statement) || !isWholeValue(*hoisted.expression, call))
    return true;
  const std::optional<FileRange> semicolon = reader.tokenRange(statement.getEndLoc());
  if (!semicolon || semicolon->begin.path != begin->path || reader.text(*semicolon) != ";")
    return false;
  hoisted.behind = FilePlace{begin->path, semicolon->end};
  return true;
}

} // namespace

HoistedCall hoistedCall(const Climb &climb, const clang::CallExpr &call, const clang::Expr &element,
                        const ElementEffects &effects) {
  const char *const kOther = "the call is not a statement of its own";
  const Program &program = climb.program;
  HoistedCall hoisted;
  hoisted.expression = expressionAround(program, call);
  const clang::Stmt *statement = hoisted.expression && climb.function && climb.function->getBody()
                                     ? statementAround(program.index, *hoisted.expression)
                                     : nullptr;
  if (!statement || !find(hoisted, climb, *statement, call))
    return unable(kOther);
  if (!mayBeVariable(program, call))
    return unable(fmt::format("{}, and a variable cannot stand for its result", kOther));
  if (std::optional<std::string> obstacle =
          obstacleToRunFirst(program, *hoisted.expression, call, climb.target, effects))
    return unable(fmt::format("{}, and {}", kOther, *obstacle));
  if (!hoisted.behind && std::ranges::any_of(call.arguments(), [&](const clang::Expr *argument) {
        return argument->IgnoreParenImpCasts() != element.IgnoreParenImpCasts() &&
               namesArrays(program, argument);
      }))
    return unable(fmt::format("{}, and an argument names an array whose layout changes", kOther));
  return hoisted;
}

void editHoisted(TokenEdits &edits, Climb &climb, const HoistedCall &hoisted,
                 const ElementText &access, const WriteBack &back) {
  const std::string &file = climb.reader.fileText(hoisted.call.begin.path);
  const std::string &line = hoisted.line;
  // In a block of its own, the first names will do.
  const std::size_t number =
      hoisted.block ? 0
                    : climb.references.numberInFunction(hoisted.function, hoisted.statement.begin);
  const LoadedElement loaded = loadedElement(climb, access, back, file, line, number);
  const FilePlace &begin = hoisted.statement.begin;
  if (hoisted.behind) {
    edits.add({{begin, begin.offset}, loaded.load + line, beforeAllOf(hoisted.statement)});
    edits.add({access.range, loaded.inCall});
    return edits.add({{*hoisted.behind, hoisted.behind->offset},
                      loaded.store,
                      {0, -static_cast<long>(begin.offset)}});
  }
  const std::string value = freeName(file, "value", number);
  const unsigned from = hoisted.call.begin.offset;
  const std::string call = file.substr(from, access.range.begin.offset - from) + loaded.inCall +
                           file.substr(access.range.end, hoisted.call.end - access.range.end);
  const std::string lines = fmt::format("{}{}const auto {} = {};{}{}", loaded.load, line, value,
                                        call, loaded.store, line);
  edits.add({hoisted.call, value});
  if (hoisted.block)
    return editBlock(edits, *hoisted.block, line + lines, "");
  edits.add({{begin, begin.offset}, lines, beforeAllOf(hoisted.statement)});
}

} // namespace relayout::rewriter
