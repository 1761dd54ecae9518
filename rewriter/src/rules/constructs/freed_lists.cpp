// SPDX-License-Identifier: Apache-2.0
// Pointers in a list of untyped ones, `for (void *p : {(void *)a, (void *)b}) cudaFree(p);`, which
// has views' allocations in their places.
#include "relayout/base/cuda_calls.h"
#include "relayout/instrument/clang/listed_range.h"
#include "rules/constructs.h"
#include "rules/element_edits.h"
#include "rules/memory_calls.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

bool names(const clang::Expr *expression, const clang::VarDecl &variable) {
  const auto *name = dyn_cast_or_null<clang::DeclRefExpr>(expression);
  return name && name->getDecl() == &variable;
}

/// The pointer that a call of CUDA's frees; null for everything else.
const clang::Expr *freedBy(const clang::Stmt &statement) {
  const auto *call = dyn_cast<clang::CallExpr>(&statement);
  const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  if (!callee || !callee->getDeclName().isIdentifier() || call->getNumArgs() == 0)
    return nullptr;
  const CudaCall *known = cudaCallNamed(callee->getName());
  return known && known->kind == CudaCallKind::Free ? call->getArg(0)->IgnoreParenCasts() : nullptr;
}

/// `if (p)`
bool tests(const clang::Stmt &statement, const clang::VarDecl &pointer) {
  const auto *test = dyn_cast<clang::ImplicitCastExpr>(&statement);
  return test && test->getCastKind() == clang::CK_PointerToBoolean &&
         names(test->getSubExpr()->IgnoreParenImpCasts(), pointer);
}

/// Whether a statement does no more with a pointer than to free it, if it is not null.
bool onlyFrees(const clang::Stmt *statement, const clang::VarDecl &pointer) {
  const auto *expression = dyn_cast_or_null<clang::Expr>(statement);
  if (!statement || names(freedBy(*statement), pointer) || tests(*statement, pointer))
    return true;
  return !names(expression, pointer) &&
         std::ranges::all_of(statement->children(),
                             [&](const clang::Stmt *child) { return onlyFrees(child, pointer); });
}

/// The same of the pointers in an array.
bool onlyFreesElements(const clang::Stmt *statement, const clang::VarDecl &array) {
  if (!statement || isa<clang::UnaryExprOrTypeTraitExpr>(statement))
    return true;
  if (const auto *loop = dyn_cast<clang::CXXForRangeStmt>(statement);
      loop && names(loop->getRangeInit()->IgnoreParenImpCasts(), array))
    return onlyFrees(loop->getBody(), *loop->getLoopVariable()) &&
           onlyFreesElements(loop->getBody(), array);
  if (const clang::Expr *freed = freedBy(*statement))
    if (const auto *element = dyn_cast<clang::ArraySubscriptExpr>(freed);
        element && names(element->getBase()->IgnoreParenImpCasts(), array))
      return onlyFreesElements(element->getIdx(), array);
  return !names(dyn_cast<clang::Expr>(statement), array) &&
         std::ranges::all_of(statement->children(), [&](const clang::Stmt *child) {
           return onlyFreesElements(child, array);
         });
}

/// Whether the pointers of a list are freed and nothing else.
bool areOnlyFreed(const Climb &climb, const clang::Stmt *list) {
  Parent around = climb.program.index.parentOf(list);
  while (isa_and_nonnull<clang::InitListExpr, clang::MaterializeTemporaryExpr,
                         clang::CXXStdInitializerListExpr, clang::CXXFunctionalCastExpr,
                         clang::FullExpr>(around.stmt))
    around = climb.program.index.parentOf(around.stmt);
  if (const auto *loop = dyn_cast_or_null<clang::CXXForRangeStmt>(around.stmt))
    return instrument::listedRange(*loop) && onlyFrees(loop->getBody(), *loop->getLoopVariable());
  const auto *array = dyn_cast_or_null<clang::VarDecl>(around.decl);
  const auto *function = array ? dyn_cast<clang::FunctionDecl>(array->getDeclContext()) : nullptr;
  return function && array->hasLocalStorage() && array->getType()->isArrayType() &&
         onlyFreesElements(function->getBody(), *array);
}

} // namespace

std::optional<Step> untypedInFreedList(Climb &climb, const Place &here, const Parent &around) {
  const auto *list = dyn_cast_or_null<clang::InitListExpr>(around.stmt);
  if (!list || !areOnlyFreed(climb, list))
    return std::nullopt;
  TokenEdits edits = climb.edits();
  if (std::optional<Refusal> refusal = dropVoidCasts(edits, here.expression))
    return Step{.refusal = std::move(refusal)};
  if (pointsToConst(*here.expression))
    climb.program.parts[&climb.target].freesConst = true;
  const clang::Expr &view = *behindVoidCasts(here.expression);
  const bool wrap = !isPostfix(&view);
  if (wrap)
    edits.insertBefore(view, "(");
  edits.insertAfter(view, (wrap ? ")." : ".") + climb.target.names.allocation + "()");
  return climb.done(std::move(edits));
}

} // namespace relayout::rewriter
