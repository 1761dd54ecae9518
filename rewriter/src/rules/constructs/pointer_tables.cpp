// SPDX-License-Identifier: Apache-2.0
// Memory of the host's that holds pointers, `R **table`: its address may be kept, tested and freed,
// and what it leads to becomes views.
#include "legality/value_use.h"
#include "rules/constructs.h"

#include <clang/AST/ExprCXX.h>

namespace relayout::rewriter {

namespace {

bool isNull(const Climb &climb, const clang::Expr &value) {
  return value.isNullPointerConstant(climb.program.unit.ast(),
                                     clang::Expr::NPC_NeverValueDependent) !=
         clang::Expr::NPCK_NotNull;
}

/// `free(table)`, with or without a cast to `void *`.
bool isFreed(const Climb &climb, const clang::Expr *table) {
  const auto *parent = dyn_cast_or_null<clang::Expr>(climb.program.index.parentOf(table).stmt);
  while (isa_and_nonnull<clang::ParenExpr>(parent) ||
         (isa_and_nonnull<clang::CastExpr>(parent) && parent->getType()->isVoidPointerType()))
    parent = dyn_cast_or_null<clang::Expr>(climb.program.index.parentOf(parent).stmt);
  const auto *call = dyn_cast_or_null<clang::CallExpr>(parent);
  return call && runtimeName(climb.program, *call) == "free" && call->getNumArgs() == 1;
}

/// `table = other`, `table == nullptr`.
std::optional<Step> tableInOperator(Climb &climb, const clang::Expr &table,
                                    const clang::BinaryOperator &operation) {
  const clang::Expr &other =
      operation.getLHS() == &table ? *operation.getRHS() : *operation.getLHS();
  if (operation.isEqualityOp() && isNull(climb, other))
    return done();
  if (operation.getOpcode() != clang::BO_Assign || !isDiscarded(climb.program.index, operation) ||
      !climb.isView(operation.getLHS()))
    return std::nullopt;
  return done(); // what it is given is judged with all that flows into views
}

/// `R **table = other;`, a member's default, a constructor's initialiser.
const clang::ValueDecl *initialised(const Parent &around, const clang::Expr &value) {
  if (around.initialiser)
    return around.initialiser->getMember();
  if (const auto *variable = dyn_cast_or_null<clang::VarDecl>(around.decl))
    return variable->getInit() == &value ? variable : nullptr;
  const auto *field = dyn_cast_or_null<clang::FieldDecl>(around.decl);
  return field && field->getInClassInitializer() == &value ? field : nullptr;
}

} // namespace

std::optional<Step> tableOfPointers(Climb &climb, const Place &here, const Parent &around) {
  const clang::QualType type = here.expression->getType();
  if (!type->isPointerType() || !type->getPointeeType()->isPointerType() ||
      isa<clang::UnaryOperator>(here.expression))
    return std::nullopt;
  if (const auto *conversion = dyn_cast_or_null<clang::CastExpr>(around.stmt);
      conversion && conversion->getCastKind() == clang::CK_PointerToBoolean)
    return done();
  if (isa_and_nonnull<clang::CXXDeleteExpr>(around.stmt) || isFreed(climb, here.expression))
    return done();
  if (isa_and_nonnull<clang::LambdaExpr>(around.stmt) &&
      isa<clang::DeclRefExpr>(here.expression->IgnoreImpCasts()))
    return done(); // what the lambda does with it is looked at by itself
  if (const auto *operation = dyn_cast_or_null<clang::BinaryOperator>(around.stmt))
    return tableInOperator(climb, *here.expression, *operation);
  if (const clang::ValueDecl *kept = initialised(around, *here.expression);
      kept && climb.flowsInto(kept))
    return done();
  return std::nullopt;
}

} // namespace relayout::rewriter
