// SPDX-License-Identifier: Apache-2.0
// Takes the size of an allocation apart, and collects a program's constants.
#include "relayout/instrument/clang/size_factors.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>
#include <optional>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;

/// Variables within variables that are followed.
constexpr int kDeepest = 4;
constexpr std::size_t kMostFactors = 6;
constexpr std::uint64_t kLargestConstant = 0x4000'0000;

/// An expression of names, members, sums and differences, written anew; nothing for others.
std::optional<std::string> written(const clang::Expr &expression) {
  const clang::Expr *bare = expression.IgnoreParenCasts();
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(bare))
    return isa<clang::VarDecl>(name->getDecl()) ? std::optional(name->getNameInfo().getAsString())
                                                : std::nullopt;
  if (const auto *literal = dyn_cast<clang::IntegerLiteral>(bare))
    return std::to_string(literal->getValue().getLimitedValue());
  if (const auto *member = dyn_cast<clang::MemberExpr>(bare)) {
    const std::string field = member->getMemberDecl()->getNameAsString();
    if (!isa<clang::FieldDecl>(member->getMemberDecl()))
      return std::nullopt;
    if (member->isImplicitAccess())
      return field;
    const std::optional<std::string> object = written(*member->getBase());
    return object ? std::optional(*object + (member->isArrow() ? "->" : ".") + field)
                  : std::nullopt;
  }
  const auto *sum = dyn_cast<clang::BinaryOperator>(bare);
  if (!sum || !sum->isAdditiveOp())
    return std::nullopt;
  const std::optional<std::string> left = written(*sum->getLHS());
  const std::optional<std::string> right = written(*sum->getRHS());
  if (!left || !right)
    return std::nullopt;
  return "(" + *left + " " + sum->getOpcodeStr().str() + " " + *right + ")";
}

/// What a local variable was computed from, if that is a product or another name.
const clang::Expr *productBehind(const clang::Expr &expression) {
  const auto *name = dyn_cast<clang::DeclRefExpr>(&expression);
  const auto *variable = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  if (!variable || !variable->hasLocalStorage() || isa<clang::ParmVarDecl>(variable) ||
      !variable->getInit())
    return nullptr;
  const clang::Expr *initial = variable->getInit()->IgnoreParenCasts();
  const auto *product = dyn_cast<clang::BinaryOperator>(initial);
  return (product && product->getOpcode() == clang::BO_Mul) || isa<clang::DeclRefExpr>(initial)
             ? initial
             : nullptr;
}

void addFactors(const clang::Expr &bytes, int depth, std::vector<std::string> &factors) {
  const clang::Expr *bare = bytes.IgnoreParenCasts();
  if (const auto *product = dyn_cast<clang::BinaryOperator>(bare);
      product && product->getOpcode() == clang::BO_Mul) {
    addFactors(*product->getLHS(), depth, factors);
    return addFactors(*product->getRHS(), depth, factors);
  }
  if (isa<clang::UnaryExprOrTypeTraitExpr, clang::IntegerLiteral>(bare) ||
      !bare->getType()->isIntegerType())
    return;
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(bare))
    if (const auto *variable = dyn_cast<clang::VarDecl>(name->getDecl());
        variable && variable->getType().isConstQualified() && variable->getInit() &&
        !variable->getInit()->isValueDependent() &&
        variable->getInit()->isIntegerConstantExpr(variable->getASTContext()))
      return;
  if (const clang::Expr *product = depth < kDeepest ? productBehind(*bare) : nullptr)
    return addFactors(*product, depth + 1, factors);
  if (const std::optional<std::string> text = written(*bare);
      text && factors.size() < kMostFactors && std::ranges::find(factors, *text) == factors.end())
    factors.push_back(*text);
}

class Constants : public clang::RecursiveASTVisitor<Constants> {
public:
  Constants(clang::ASTContext &ast, std::set<std::uint64_t> &found) : ast_(ast), found_(found) {}

  bool TraverseDecl(clang::Decl *declaration) {
    const clang::SourceManager &sources = ast_.getSourceManager();
    if (declaration && !isa<clang::TranslationUnitDecl>(declaration) &&
        sources.isInSystemHeader(sources.getExpansionLoc(declaration->getLocation())))
      return true;
    return RecursiveASTVisitor::TraverseDecl(declaration);
  }
  bool VisitIntegerLiteral(clang::IntegerLiteral *literal) {
    add(literal->getValue().getLimitedValue());
    return true;
  }
  bool VisitVarDecl(clang::VarDecl *variable) {
    const clang::Expr *initial = variable->getInit();
    if (!initial || !variable->getType().isConstQualified() ||
        !variable->getType()->isIntegerType() || initial->isValueDependent())
      return true;
    if (const auto value = initial->getIntegerConstantExpr(ast_))
      add(value->getLimitedValue());
    return true;
  }
  bool VisitEnumConstantDecl(clang::EnumConstantDecl *constant) {
    add(constant->getInitVal().getLimitedValue());
    return true;
  }

private:
  void add(std::uint64_t value) {
    if (value >= 2 && value <= kLargestConstant)
      found_.insert(value);
  }

  clang::ASTContext &ast_;
  std::set<std::uint64_t> &found_;
};

} // namespace

std::vector<std::string> sizeFactors(const clang::Expr &bytes) {
  std::vector<std::string> factors;
  addFactors(bytes, 0, factors);
  return factors;
}

void addConstants(clang::ASTContext &ast, std::set<std::uint64_t> &constants) {
  Constants(ast, constants).TraverseDecl(ast.getTranslationUnitDecl());
}

} // namespace relayout::instrument
