// SPDX-License-Identifier: Apache-2.0
// Nulls of a pointer's type, which no view is made from: those without a type make one.
#include "pass/program.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

#include <fmt/format.h>

namespace relayout::rewriter {

using clang::dyn_cast;

void editTypedNulls(Program &program, const clang::Expr *value, const Target &target) {
  value = value->IgnoreParenImpCasts();
  if (const auto *choice = dyn_cast<clang::ConditionalOperator>(value)) {
    editTypedNulls(program, choice->getTrueExpr(), target);
    return editTypedNulls(program, choice->getFalseExpr(), target);
  }
  const auto *typed = dyn_cast<clang::ExplicitCastExpr>(value);
  if (!typed || !typed->getType()->isPointerType() || typed->getType()->isVoidPointerType() ||
      typed->getSubExpr()->isNullPointerConstant(program.unit.ast(),
                                                 clang::Expr::NPC_ValueDependentIsNotNull) ==
          clang::Expr::NPCK_NotNull)
    return;
  const std::optional<FilePlace> place = program.reader.place(typed->getBeginLoc());
  const std::optional<FileRange> range = program.reader.range(typed->getSourceRange());
  if (!place || !range ||
      !program.editsIn(program.index.functionAround(typed)).add(*place, {{*range, "nullptr"}}))
    program.findings.refuse(
        {Code::EditInMacro,
         fmt::format("the body of a macro makes a null pointer to '{}'", target.shape.name),
         typed->getExprLoc(), "write nullptr instead"});
}

} // namespace relayout::rewriter
