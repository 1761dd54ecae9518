// SPDX-License-Identifier: Apache-2.0
// Elements of rows: `p[i][k]` of `double (*p)[3]`. The view gives a row, which is subscripted as an
// array is; what takes a row as a pointer is refused, as its elements do not lie side by side.
#include "rules/row_elements.h"

#include "rules/element_edits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace relayout::rewriter {

namespace {

/// `row[k]`, if that is what stands around a row.
const clang::ArraySubscriptExpr *subscripted(const Climb &climb, const clang::Expr &row) {
  const clang::Stmt *current = &row;
  const clang::Stmt *parent = climb.program.index.parentOf(current).stmt;
  while (isa_and_nonnull<clang::ParenExpr>(parent))
    parent = climb.program.index.parentOf(current = parent).stmt;
  const auto *decay = dyn_cast_or_null<clang::ImplicitCastExpr>(parent);
  if (!decay || decay->getCastKind() != clang::CK_ArrayToPointerDecay)
    return nullptr;
  const auto *subscript =
      dyn_cast_or_null<clang::ArraySubscriptExpr>(climb.program.index.parentOf(decay).stmt);
  return subscript && subscript->getLHS() == decay ? subscript : nullptr;
}

} // namespace

const clang::ArraySubscriptExpr *elementOfRows(const Climb &climb,
                                               const clang::ArraySubscriptExpr &outermost) {
  const clang::ArraySubscriptExpr *element = &outermost;
  for (std::size_t level = 0; element && level < climb.target.shape.rows.size(); ++level)
    element = subscripted(climb, *element);
  return element;
}

Step wholeRow(const Climb &climb, const clang::Expr &row) {
  const clang::Stmt *parent = climb.program.index.parentOf(&row).stmt;
  while (isa_and_nonnull<clang::ParenExpr>(parent))
    parent = climb.program.index.parentOf(parent).stmt;
  if (const auto *size = dyn_cast_or_null<clang::UnaryExprOrTypeTraitExpr>(parent);
      size && size->getKind() == clang::UETT_SizeOf) {
    TokenEdits edits = climb.edits();
    const RecordShape &shape = climb.target.shape;
    editSizeof(edits, climb, *size, fmt::format("{}[{}]", shape.name, fmt::join(shape.rows, "][")));
    return climb.done(std::move(edits));
  }
  return refused(Code::PointerEscapes,
                 fmt::format("a row of '{}' is used as a whole", climb.target.shape.name),
                 row.getExprLoc(), "name its elements: array[i][k]");
}

} // namespace relayout::rewriter
