// SPDX-License-Identifier: Apache-2.0
// Conversions of a pointer: reads, added const, tests, casts.
#include "legality/object_parts.h"
#include "legality/value_use.h"
#include "rules/constructs.h"
#include "rules/element_edits.h"
#include "rules/memory_calls.h"

#include <fmt/format.h>

namespace relayout::rewriter {

/// `p->x` of a field or method of a base class.
static bool isBeforeArrow(const Climb &climb, const clang::ImplicitCastExpr &conversion) {
  const clang::Stmt *parent = climb.program.index.parentOf(&conversion).stmt;
  while (isa_and_nonnull<clang::ParenExpr, clang::ImplicitCastExpr>(parent))
    parent = climb.program.index.parentOf(parent).stmt;
  const auto *member = dyn_cast_or_null<clang::MemberExpr>(parent);
  return member && member->isArrow();
}

std::optional<Step> convertedPointer(Climb &climb, const Place &, const Parent &around) {
  const auto *conversion = dyn_cast_or_null<clang::ImplicitCastExpr>(around.stmt);
  if (!conversion || (conversion->getCastKind() != clang::CK_LValueToRValue &&
                      conversion->getCastKind() != clang::CK_NoOp &&
                      !(isToBase(*conversion) && isBeforeArrow(climb, *conversion))))
    return std::nullopt;
  return climbTo(pointerAt(conversion));
}

/// `if (p)`, `bool has = p`: a view is not converted to bool by itself where the language does not
/// ask for a condition.
std::optional<Step> testedPointer(Climb &climb, const Place &here, const Parent &around) {
  const auto *conversion = dyn_cast_or_null<clang::CastExpr>(around.stmt);
  if (!conversion || conversion->getCastKind() != clang::CK_PointerToBoolean)
    return std::nullopt;
  if (!clang::isa<clang::ImplicitCastExpr>(conversion) ||
      isTested(climb.program.index, *conversion))
    return done();
  TokenEdits edits = climb.edits();
  convertTo("bool", *here.expression, climb, edits);
  return climb.done(std::move(edits));
}

/// `(unsigned long long *)u` of a plain array is the address of one element by another name:
/// `(unsigned long long *)&*u`, whose uses are followed as those of a field's address.
static std::optional<Step> castToBits(Climb &climb, const Place &here,
                                      const clang::CastExpr &conversion) {
  if (!climb.target.shape.isScalar || !keepsBytes(climb.program.unit.ast(), conversion))
    return std::nullopt;
  TokenEdits edits = climb.edits();
  const bool wrap = !isPostfix(here.expression);
  edits.insertBefore(*here.expression, wrap ? "&*(" : "&*");
  if (wrap)
    edits.insertAfter(*here.expression, ")");
  return climb.climbTo(
      {.what = Reached::FieldPointer, .expression = &conversion, .start = &conversion},
      std::move(edits));
}

/// `(const Body *)p` becomes `ConstBodyView(p)`: which overload is called may depend on it. Other
/// casts that keep the type are left out.
static void castToView(Climb &climb, TokenEdits &edits, const clang::ExplicitCastExpr &conversion) {
  dropCast(edits, conversion);
  const clang::Expr &inner = *conversion.getSubExpr()->IgnoreImpCasts();
  const clang::QualType from = inner.getType();
  const bool wasConst = from->isPointerType()
                            ? from->getPointeeType().isConstQualified()
                            : climb.program.unit.ast().getBaseElementType(from).isConstQualified();
  if (wasConst || !conversion.getType()->getPointeeType().isConstQualified())
    return;
  convertTo(spelledFor(climb.target, climb.target.names.constView, climb.function), inner, climb,
            edits);
}

std::optional<Step> castPointer(Climb &climb, const Place &here, const Parent &around) {
  const auto *conversion = dyn_cast_or_null<clang::CastExpr>(around.stmt);
  if (!conversion)
    return std::nullopt;
  if (keepsPointer(*conversion) || dropsConstToFree(climb.program, *conversion)) {
    TokenEdits edits = climb.edits();
    castToView(climb, edits, *clang::cast<clang::ExplicitCastExpr>(conversion));
    return climb.climbTo(pointerAt(conversion), std::move(edits));
  }
  const Place untyped{.what = Reached::Untyped, .expression = conversion, .start = conversion};
  if (clang::isa<clang::ImplicitCastExpr>(conversion)) {
    if (conversion->getCastKind() == clang::CK_BitCast)
      return climbTo(untyped);
    return refused(Code::PointerEscapes, "the pointer is converted to another type",
                   here.expression->getExprLoc(), "keep it in its own type");
  }
  if (conversion->getCastKind() == clang::CK_ToVoid)
    return done();
  if (isVoidPointerCast(conversion)) // `char *` is refused where it is more than memory
    return climbTo(untyped);
  if (std::optional<Step> bits = castToBits(climb, here, *conversion))
    return bits;
  return refused(Code::PointerEscapes,
                 fmt::format("the pointer is cast to '{}'", conversion->getType().getAsString()),
                 conversion->getExprLoc(), "views cannot be cast; keep the pointer's own type");
}

} // namespace relayout::rewriter
