// SPDX-License-Identifier: Apache-2.0
#include "relayout/instrument/clang/listed_range.h"

#include <clang/AST/ExprCXX.h>

namespace relayout::instrument {

const clang::InitListExpr *listedRange(const clang::CXXForRangeStmt &loop) {
  const clang::Expr *range = loop.getRangeInit();
  const auto *list = range ? clang::dyn_cast<clang::CXXStdInitializerListExpr>(
                                 range->IgnoreImplicit()->IgnoreParens())
                           : nullptr;
  return list ? clang::dyn_cast<clang::InitListExpr>(list->getSubExpr()->IgnoreImplicit())
              : nullptr;
}

} // namespace relayout::instrument
