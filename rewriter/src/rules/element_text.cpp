// SPDX-License-Identifier: Apache-2.0
// How an element is named in the text.
#include "rules/element_text.h"

#include "legality/evaluation_order.h"
#include "rules/element_edits.h"

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {

using clang::cast;
using clang::dyn_cast;
using clang::isa;

namespace {

/// `matrix(i, j)`, which computes the place of an element and does no more.
bool isPlainAccessor(const Program &program, const clang::Expr &view) {
  const auto *call = dyn_cast<clang::CallExpr>(view.IgnoreParenImpCasts());
  const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  const auto *method = dyn_cast_or_null<clang::CXXMethodDecl>(callee);
  const auto *body = callee ? dyn_cast_or_null<clang::CompoundStmt>(callee->getBody()) : nullptr;
  if (!body || body->size() != 1 || (method && method->isVirtual()))
    return false;
  const auto *result = dyn_cast<clang::ReturnStmt>(body->body_front());
  return result && result->getRetValue() && !hasEffects(program, *result->getRetValue()) &&
         std::ranges::none_of(call->arguments(), [&](const clang::Expr *argument) {
           return namesArrays(program, argument) || hasEffects(program, *argument);
         });
}

/// `p`, `s.p`, `p++`, `p + k`: of all names in it only the array's own is one of an array.
bool isPlain(const Program &program, const clang::Expr &pointer) {
  const clang::Expr *bare = pointer.IgnoreParenImpCasts();
  if (isa<clang::DeclRefExpr>(bare) || isPlainAccessor(program, pointer))
    return true;
  if (const auto *member = dyn_cast<clang::MemberExpr>(bare))
    return !namesArrays(program, member->getBase());
  if (const auto *unary = dyn_cast<clang::UnaryOperator>(bare))
    return unary->isIncrementDecrementOp() && isPlain(program, *unary->getSubExpr());
  const auto *binary = dyn_cast<clang::BinaryOperator>(bare);
  if (!binary || !binary->isAdditiveOp())
    return false;
  const bool isLeft = binary->getLHS()->getType()->isPointerType();
  const clang::Expr *number = isLeft ? binary->getRHS() : binary->getLHS();
  return !number->getType()->isPointerType() && !namesArrays(program, number) &&
         isPlain(program, isLeft ? *binary->getLHS() : *binary->getRHS());
}

} // namespace

std::optional<ElementText> elementText(const Climb &climb, const Element &element,
                                       const clang::MemberExpr *method) {
  const SourceReader &reader = climb.reader;
  if (!climb.gathered.empty() || element.form == Element::Form::Choice ||
      !isPlain(climb.program, *element.view))
    return std::nullopt;
  const std::optional<FileRange> view = reader.range(element.view->getSourceRange());
  const std::optional<FileRange> whole = reader.range(element.whole->getSourceRange());
  if (!view || !whole)
    return std::nullopt;
  const bool isAccessor = isPlainAccessor(climb.program, *element.view);
  const bool hasEffectsHere = !isAccessor && hasEffects(climb.program, *element.view);
  ElementText text{reader.text(*view), {}, *whole, hasEffectsHere};
  if (!isAccessor && !isPostfix(element.view))
    text.view = fmt::format("({})", text.view);
  if (element.form == Element::Form::Subscript) {
    const clang::Expr *index = cast<clang::ArraySubscriptExpr>(element.whole)->getIdx();
    const std::optional<FileRange> inner = reader.range(index->getSourceRange());
    const auto *comma = dyn_cast<clang::BinaryOperator>(index->IgnoreParenImpCasts());
    if (!inner || namesArrays(climb.program, index) || (comma && comma->isCommaOp()))
      return std::nullopt;
    text.index = reader.text(*inner);
    text.hasEffects |= hasEffects(climb.program, *index);
  } else if (element.form == Element::Form::Arrow) {
    const std::optional<FileRange> arrow =
        method ? reader.tokenRange(operatorOf(reader, *method)) : std::nullopt;
    if (!arrow || reader.text(*arrow) != "->")
      return std::nullopt;
    text.range.end = arrow->end;
  }
  if (!element.parens.empty()) {
    const std::optional<FileRange> around = reader.range(element.parens.back()->getSourceRange());
    if (!around)
      return std::nullopt;
    text.range = *around;
  }
  return text;
}

} // namespace relayout::rewriter
