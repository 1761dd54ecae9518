// SPDX-License-Identifier: Apache-2.0
// Reads divisions and calls of library functions.
#include "model/code_steps.h"

#include <algorithm>

namespace relayout::instrument {
namespace {

bool isSingle(clang::QualType type) {
  return type->isSpecificBuiltinType(clang::BuiltinType::Float);
}

bool isConstant(const clang::Expr *value, clang::ASTContext &context) {
  return !value->isValueDependent() && value->isEvaluatable(context);
}

} // namespace

std::optional<trace::code::Divide> divisionIn(const clang::BinaryOperator &operation,
                                              clang::ASTContext &context) {
  if (operation.getOpcode() != clang::BO_Div && operation.getOpcode() != clang::BO_DivAssign)
    return std::nullopt;
  const auto *compound = clang::dyn_cast<clang::CompoundAssignOperator>(&operation);
  const clang::QualType type =
      compound ? compound->getComputationResultType() : operation.getType();
  if (!type->isRealFloatingType() || isConstant(&operation, context))
    return std::nullopt;
  llvm::APFloat divisor(0.0);
  const clang::Expr *right = operation.getRHS();
  if (!right->isValueDependent() && right->EvaluateAsFloat(divisor, context) &&
      divisor.getExactInverse(nullptr))
    return std::nullopt;
  return trace::code::Divide{isSingle(type)};
}

std::optional<trace::code::LibraryCall> libraryCall(const clang::CallExpr &call,
                                                    clang::ASTContext &context) {
  const clang::FunctionDecl *callee = call.getDirectCallee();
  if (!callee || !callee->getDeclName().isIdentifier())
    return std::nullopt;
  const bool takesAny = callee->getNumParams() != 0;
  const bool allConstant =
      std::ranges::all_of(call.arguments(), [&context](const clang::Expr *argument) {
        return isConstant(argument, context);
      });
  return trace::code::LibraryCall{callee->getName().str(),
                                  takesAny && isSingle(callee->getParamDecl(0)->getType()),
                                  takesAny && !allConstant};
}

} // namespace relayout::instrument
