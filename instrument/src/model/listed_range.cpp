// SPDX-License-Identifier: Apache-2.0
#include "relayout/instrument/clang/listed_range.h"

#include <clang/AST/ExprCXX.h>

namespace relayout::instrument {

const clang::InitListExpr *listedRange(const clang::CXXForRangeStmt &loop) {
  const clang::Expr *range = loop.getRangeInit();
  if (range)
    range = range->IgnoreImplicit()->IgnoreParens();
  if (const auto *named = clang::dyn_cast_or_null<clang::CXXFunctionalCastExpr>(range);
      named && named->isListInitialization())
    range = named->getSubExpr()->IgnoreImplicit();
  const auto *list = clang::dyn_cast_or_null<clang::CXXStdInitializerListExpr>(range);
  return list ? clang::dyn_cast<clang::InitListExpr>(list->getSubExpr()->IgnoreImplicit())
              : nullptr;
}

} // namespace relayout::instrument
