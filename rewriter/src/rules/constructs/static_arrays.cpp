// SPDX-License-Identifier: Apache-2.0
// Names of arrays in variables, `__device__ Particle particles[N];`, which become views where they
// become pointers.
#include "relayout/instrument/clang/static_arrays.h"
#include "relayout/instrument/clang/shared_arrays.h"
#include "rules/constructs.h"
#include "rules/element_edits.h"
#include "rules/implicit_views.h"
#include "rules/static_array_calls.h"

#include <fmt/format.h>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast_or_null;
using clang::isa_and_nonnull;

/// The class has what elements are accessed by; what else views can do is the view's.
bool needsNoView(const Climb &climb, const clang::Expr &pointer) {
  const clang::Stmt *outer = climb.program.index.parentOf(&pointer).stmt;
  if (const auto *subscript = dyn_cast_or_null<clang::ArraySubscriptExpr>(outer))
    return subscript->getBase() == &pointer;
  if (const auto *sum = dyn_cast_or_null<clang::BinaryOperator>(outer);
      sum && sum->getOpcode() == clang::BO_Add)
    return sum->getLHS() == &pointer;
  return isConvertedThere(climb, pointer);
}

/// `ParticleView(particles)`.
TokenEdits asView(const Climb &climb, const clang::Expr &name) {
  TokenEdits edits = climb.edits();
  convertTo(spelledFor(climb.target, climb.target.names.view, climb.function), name, climb, edits);
  return edits;
}

/// `sizeof(particles)` counts records.
Step sizeOfArray(Climb &climb, const clang::Expr &name, const clang::VarDecl &array) {
  TokenEdits edits = climb.edits();
  const std::optional<FileRange> range = edits.reader().range(name.getSourceRange());
  if (range)
    edits.add(
        {*range,
         fmt::format("({}[{}])", spelledFor(climb.target, climb.target.shape.name, climb.function),
                     instrument::elementsOf(array))});
  else
    edits.fail(name.getExprLoc());
  return climb.done(std::move(edits));
}

const clang::ImplicitCastExpr *decayOf(const clang::Stmt *expression) {
  const auto *decay = dyn_cast_or_null<clang::ImplicitCastExpr>(expression);
  return decay && decay->getCastKind() == clang::CK_ArrayToPointerDecay ? decay : nullptr;
}

} // namespace

std::optional<Step> staticArray(Climb &climb, const Place &here, const Parent &around) {
  const clang::VarDecl *array = here.expression->getType()->isArrayType()
                                    ? instrument::namedArrayVariable(here.expression)
                                    : nullptr;
  if (!array)
    return std::nullopt;
  if (!climb.function && !isa_and_nonnull<clang::UnaryExprOrTypeTraitExpr>(around.stmt))
    return refused(
        Code::DeclarationFixed,
        fmt::format("a declaration outside of functions uses '{}'", array->getNameAsString()),
        here.expression->getExprLoc(), "set it in a kernel");
  if (const clang::ImplicitCastExpr *decay = decayOf(around.stmt))
    return needsNoView(climb, *decay)
               ? climbTo(pointerAt(decay))
               : climb.climbTo(pointerAt(decay), asView(climb, *here.expression));
  // `c ? a : b` is an array itself where both have one extent.
  if (const auto *choice = dyn_cast_or_null<clang::ConditionalOperator>(around.stmt)) {
    const clang::Expr *whole = choice;
    const clang::Stmt *outer = climb.program.index.parentOf(whole).stmt;
    while (const auto *parens = dyn_cast_or_null<clang::ParenExpr>(outer))
      outer = climb.program.index.parentOf(whole = parens).stmt;
    if (const clang::ImplicitCastExpr *decay = decayOf(outer))
      return climb.climbTo(pointerAt(decay), asView(climb, *here.expression));
  }
  if (const auto *conversion = dyn_cast_or_null<clang::ImplicitCastExpr>(around.stmt);
      conversion && conversion->getCastKind() == clang::CK_NoOp)
    return climbTo(pointerAt(conversion)); // to the const array that CUDA's functions take
  if (const auto *size = dyn_cast_or_null<clang::UnaryExprOrTypeTraitExpr>(around.stmt);
      size && size->getKind() == clang::UETT_SizeOf)
    return sizeOfArray(climb, *here.expression, *array);
  if (const auto *call = dyn_cast_or_null<clang::CallExpr>(around.stmt))
    return staticArrayInCall(climb, *here.expression, *call);
  return refused(Code::PointerEscapes,
                 fmt::format("'{}' is used as a whole", array->getNameAsString()),
                 here.expression->getExprLoc(), "name its elements, or a pointer to the first");
}

} // namespace relayout::rewriter
