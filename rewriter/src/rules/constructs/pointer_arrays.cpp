// SPDX-License-Identifier: Apache-2.0
// Arrays of pointers: `R *buffers[2]` becomes `RView buffers[2]`, and its elements are views.
#include "rules/constructs.h"
#include "rules/pointer_memory.h"

#include "relayout/instrument/clang/listed_range.h"

#include <clang/AST/ExprCXX.h>

namespace relayout::rewriter {

/// `buffers[k]`, `*buffers`. What takes the array as a whole is refused by the rules that follow.
std::optional<Step> elementOfPointers(Climb &climb, const Place &here, const Parent &around) {
  const auto *decay = dyn_cast_or_null<clang::ImplicitCastExpr>(around.stmt);
  if (!decay || !here.expression->getType()->isArrayType())
    return std::nullopt;
  const clang::Stmt *outer = climb.program.index.parentOf(decay).stmt;
  const auto *subscript = dyn_cast_or_null<clang::ArraySubscriptExpr>(outer);
  const auto *dereference = dyn_cast_or_null<clang::UnaryOperator>(outer);
  if ((subscript && subscript->getBase() == decay) ||
      (dereference && dereference->getOpcode() == clang::UO_Deref))
    return climbTo(pointerAt(clang::cast<clang::Expr>(outer)));
  if (std::optional<Step> use = pointersInCudaCall(climb, *decay))
    return use;
  if (const auto *call = dyn_cast_or_null<clang::CallExpr>(outer);
      call && climb.flowsInto(parameterFor(*call, *decay)))
    return done();
  return refused(Code::PointerToPointer, "an array of pointers is used as a whole",
                 here.expression->getExprLoc(), "name one of its pointers");
}

namespace {

/// True for what is between the braces of `for (R *p : {a, b})`.
bool isListedRange(const Climb &climb, const clang::Expr &list) {
  const clang::Stmt *outer = &list;
  while (isa_and_nonnull<clang::InitListExpr, clang::MaterializeTemporaryExpr,
                         clang::CXXStdInitializerListExpr, clang::FullExpr>(outer))
    outer = climb.program.index.parentOf(outer).stmt;
  const auto *loop = dyn_cast_or_null<clang::CXXForRangeStmt>(outer);
  return loop && instrument::listedRange(*loop);
}

} // namespace

/// `for (R *p : buffers)`, `for (R *p : {a, b})`.
std::optional<Step> loopOverPointers(Climb &climb, const Place &here, const Parent &around) {
  if (isa<clang::InitListExpr>(here.expression))
    return isListedRange(climb, *here.expression) ? std::optional(done()) : std::nullopt;
  const auto *loop = dyn_cast_or_null<clang::CXXForRangeStmt>(around.stmt);
  if (!loop || loop->getRangeInit() != here.expression ||
      !here.expression->getType()->isArrayType())
    return std::nullopt;
  return done();
}

} // namespace relayout::rewriter
