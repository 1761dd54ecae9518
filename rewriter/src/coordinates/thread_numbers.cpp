// SPDX-License-Identifier: Apache-2.0
// Numbers that CUDA gives threads and blocks.
#include "coordinates/thread_numbers.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace relayout::rewriter {

using clang::dyn_cast;

namespace {

constexpr std::array<std::string_view, 4> kBuiltins = {"threadIdx", "blockIdx", "blockDim",
                                                       "gridDim"};

std::optional<std::string> memberOfBuiltin(const clang::Expr &object, llvm::StringRef member) {
  const auto *name = dyn_cast<clang::DeclRefExpr>(object.IgnoreParenImpCasts());
  if (!name || !name->getDecl()->getDeclName().isIdentifier() ||
      !name->getDecl()->getDeclContext()->getRedeclContext()->isTranslationUnit() ||
      std::ranges::find(kBuiltins, std::string_view(name->getDecl()->getName())) ==
          kBuiltins.end() ||
      (member != "x" && member != "y" && member != "z"))
    return std::nullopt;
  return fmt::format("{}.{}", std::string_view(name->getDecl()->getName()),
                     std::string_view(member));
}

} // namespace

std::optional<std::string> builtinNamed(const clang::Expr &expression) {
  const clang::Expr *bare = expression.IgnoreParens();
  if (const auto *pseudo = dyn_cast<clang::PseudoObjectExpr>(bare))
    bare = pseudo->getSyntacticForm()->IgnoreParens();
  if (const auto *property = dyn_cast<clang::MSPropertyRefExpr>(bare))
    return memberOfBuiltin(*property->getBaseExpr(), property->getPropertyDecl()->getName());
  if (const auto *member = dyn_cast<clang::MemberExpr>(bare))
    if (member->getMemberDecl()->getDeclName().isIdentifier())
      return memberOfBuiltin(*member->getBase(), member->getMemberDecl()->getName());
  return std::nullopt;
}

std::optional<std::string> threadNumber(const clang::Expr &expression,
                                        const clang::ASTContext &ast) {
  const clang::Expr *bare = expression.IgnoreParenImpCasts();
  if (const std::optional<std::string> name = builtinNamed(*bare))
    return name;
  if (bare->isValueDependent() || !bare->getType()->isIntegerType())
    return std::nullopt;
  if (const auto constant = bare->getIntegerConstantExpr(ast))
    return !constant->isNegative() && constant->getActiveBits() < 31
               ? std::optional(std::to_string(constant->getExtValue()))
               : std::nullopt;
  const auto *operation = dyn_cast<clang::BinaryOperator>(bare);
  if (!operation ||
      (operation->getOpcode() != clang::BO_Add && operation->getOpcode() != clang::BO_Mul))
    return std::nullopt;
  const std::optional<std::string> left = threadNumber(*operation->getLHS(), ast);
  const std::optional<std::string> right = threadNumber(*operation->getRHS(), ast);
  if (!left || !right)
    return std::nullopt;
  if (operation->getOpcode() == clang::BO_Add)
    return *left + " + " + *right;
  const auto factor = [](const std::string &text) {
    return text.find('+') == std::string::npos ? text : "(" + text + ")";
  };
  return factor(*left) + " * " + factor(*right);
}

} // namespace relayout::rewriter
