// SPDX-License-Identifier: Apache-2.0
// What nvcc 13 compiles with a branch for sm_90 with -O3.
#include "model/slow_paths.h"

#include <algorithm>
#include <array>
#include <set>

namespace relayout::instrument {
namespace {

using FunctionNames = std::set<llvm::StringRef>;

bool isSingle(clang::QualType type) {
  return type->isSpecificBuiltinType(clang::BuiltinType::Float);
}

bool isConstant(const clang::Expr *value, clang::ASTContext &context) {
  return !value->isValueDependent() && value->isEvaluatable(context);
}

/// Barriers, fences, and arithmetic whose names ask for a rounding, whatever the flags.
bool intrinsicBranches(llvm::StringRef name) {
  static constexpr std::array<llvm::StringLiteral, 9> kOpenings = {
      "__syncthreads", "__syncwarp", "__threadfence", "__fdiv_r", "__frcp_r",
      "__fsqrt_r",     "__ddiv_r",   "__drcp_r",      "__dsqrt_r"};
  return name == "__nanosleep" || std::ranges::any_of(kOpenings, [name](llvm::StringRef opening) {
           return name.starts_with(opening);
         });
}

bool doubleBranches(llvm::StringRef name) {
  static const FunctionNames kBranching = {
      "sqrt", "rsqrt", "sin",   "cos",  "sincos", "tan",  "asin",      "acos",   "atan",
      "sinh", "cosh",  "tanh",  "erfc", "exp",    "exp2", "exp10",     "expm1",  "log",
      "log2", "log10", "log1p", "pow",  "atan2",  "fmod", "remainder", "lgamma", "tgamma"};
  return kBranching.contains(name);
}

/// \param name  without the f at its end
bool singleBranches(llvm::StringRef name, const FloatMath &math) {
  static const FunctionNames kRoots = {"sqrt", "hypot", "norm3d"};
  static const FunctionNames kApproximated = {"sin", "cos", "sincos", "tan", "pow"};
  static const FunctionNames kAlways = {"log1p", "lgamma", "tgamma", "atan2", "fmod", "remainder"};
  return (math.exactRoots && kRoots.contains(name)) || (math.exactDivisions && name == "fdivide") ||
         (math.exactFunctions && kApproximated.contains(name)) || kAlways.contains(name);
}

} // namespace

bool hasSlowPath(const clang::BinaryOperator &division, clang::ASTContext &context,
                 const FloatMath &math) {
  if (division.getOpcode() != clang::BO_Div && division.getOpcode() != clang::BO_DivAssign)
    return false;
  const auto *compound = clang::dyn_cast<clang::CompoundAssignOperator>(&division);
  const clang::QualType type = compound ? compound->getComputationResultType() : division.getType();
  if (!type->isRealFloatingType() || (isSingle(type) && !math.exactDivisions) ||
      isConstant(&division, context))
    return false;
  llvm::APFloat divisor(0.0);
  const clang::Expr *right = division.getRHS();
  if (!right->isValueDependent() && right->EvaluateAsFloat(divisor, context))
    return !divisor.getExactInverse(nullptr);
  return true;
}

bool hasSlowPath(const clang::CallExpr &foreign, clang::ASTContext &context,
                 const FloatMath &math) {
  const clang::FunctionDecl *callee = foreign.getDirectCallee();
  if (!callee || !callee->getDeclName().isIdentifier())
    return false;
  llvm::StringRef name = callee->getName();
  if (intrinsicBranches(name))
    return true;
  if (name.starts_with("__") || callee->getNumParams() == 0 ||
      std::ranges::all_of(foreign.arguments(), [&context](const clang::Expr *argument) {
        return isConstant(argument, context);
      }))
    return false;
  if (!isSingle(callee->getParamDecl(0)->getType()))
    return doubleBranches(name);
  name.consume_back("f");
  return singleBranches(name, math);
}

} // namespace relayout::instrument
