// SPDX-License-Identifier: Apache-2.0
// From a pointer to an element: `p[i]`, `*p`, `p->`.
#include "coordinates/coordinates.h"
#include "rules/constructs.h"
#include "rules/row_elements.h"

#include <fmt/format.h>

namespace relayout::rewriter {

namespace {

/// A scalar is one field, which views of plain arrays return by reference: its text stays.
Place elementOrScalar(const Climb &climb, Element::Form form, const clang::Expr *whole,
                      const clang::Expr *view) {
  Place element = elementAt(form, whole, view, whole->getType().isConstQualified());
  if (climb.target.shape.isScalar)
    element.what = Reached::Field;
  return element;
}

/// `&u[i]`, of which other rules make a pointer.
bool isAddressed(const Climb &climb, const clang::Expr &element) {
  const clang::Stmt *parent = climb.program.index.parentOf(&element).stmt;
  while (isa_and_nonnull<clang::ParenExpr>(parent))
    parent = climb.program.index.parentOf(parent).stmt;
  const auto *unary = dyn_cast_or_null<clang::UnaryOperator>(parent);
  return unary && unary->getOpcode() == clang::UO_AddrOf;
}

/// `u[(x * ny + y) * nz + z]` becomes `u.at(x, y, z)` where that is the same element.
std::vector<Edit> editsToCoordinates(Climb &climb, const clang::ArraySubscriptExpr &subscript) {
  if (!climb.target.shape.isScalar || !climb.function || climb.isFollowed ||
      isAddressed(climb, subscript) || climb.program.parts[&climb.target].macros.contains("at"))
    return {};
  std::shared_ptr<Coordinates> &coordinates = climb.program.coordinates;
  if (!coordinates)
    coordinates = std::make_shared<Coordinates>(climb.program);
  const std::optional<std::string> arguments = coordinates->of(
      subscript, *climb.function, climb.program.flow.groupOf(subscript.getBase()), climb.target);
  if (!arguments)
    return {};
  TokenEdits edits = climb.edits();
  edits.replaceSubscript(subscript, ".at(" + *arguments + ")");
  for (const auto *row = dyn_cast<clang::ArraySubscriptExpr>(subscript.getBase()->IgnoreImpCasts());
       row && row->getType()->isArrayType();
       row = dyn_cast<clang::ArraySubscriptExpr>(row->getBase()->IgnoreImpCasts()))
    edits.replaceSubscript(*row, "");
  if (edits.failed()) // in the body of a macro
    return {};
  climb.need(ViewOperation::At);
  return edits.take();
}

/// `p[i][k]`, and `&p[i]`, which is the view `p + i`.
Step subscriptedRows(Climb &climb, const clang::ArraySubscriptExpr &row, const Place &here) {
  if (const clang::ArraySubscriptExpr *element = elementOfRows(climb, row))
    return {.next = fieldAt(element, /*isValue=*/false),
            .edits = editsToCoordinates(climb, *element)};
  return isAddressed(climb, row)
             ? climbTo(elementAt(Element::Form::Subscript, &row, here.expression,
                                 row.getType().isConstQualified()))
             : wholeRow(climb, row);
}

} // namespace

std::optional<Step> subscriptedPointer(Climb &climb, const Place &here, const Parent &around) {
  const auto *subscript = dyn_cast_or_null<clang::ArraySubscriptExpr>(around.stmt);
  if (!subscript)
    return std::nullopt;
  const bool isPlain =
      subscript->getLHS() == here.expression && subscript->getBase() == here.expression;
  if (isPlain && !climb.target.shape.rows.empty())
    return subscriptedRows(climb, *subscript, here);
  if (isPlain)
    return Step{.next =
                    elementOrScalar(climb, Element::Form::Subscript, subscript, here.expression),
                .edits = editsToCoordinates(climb, *subscript)};
  return refused(Code::UnsupportedElementUse, "the subscript stands before the array",
                 here.expression->getExprLoc(), "write array[index]");
}

std::optional<Step> dereferencedPointer(Climb &climb, const Place &here, const Parent &around) {
  const auto *unary = dyn_cast_or_null<clang::UnaryOperator>(around.stmt);
  if (!unary || unary->getOpcode() != clang::UO_Deref)
    return std::nullopt;
  if (!climb.target.shape.rows.empty())
    return wholeRow(climb, *unary);
  return climbTo(elementOrScalar(climb, Element::Form::Dereference, unary, here.expression));
}

std::optional<Step> pointerBeforeArrow(Climb &climb, const Place &here, const Parent &around) {
  const auto *member = dyn_cast_or_null<clang::MemberExpr>(around.stmt);
  if (!member || !member->isArrow())
    return std::nullopt;
  if (climb.target.shape.isScalar)
    return refused(Code::UnsupportedElementUse,
                   fmt::format("'->' stands behind a pointer to '{}'", climb.target.shape.name),
                   member->getOperatorLoc(), "write (*p).x, or p[0].x");
  return climbTo(elementAt(Element::Form::Arrow, here.expression, here.expression,
                           here.expression->getType()->getPointeeType().isConstQualified()));
}

} // namespace relayout::rewriter
