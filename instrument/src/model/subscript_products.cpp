// SPDX-License-Identifier: Apache-2.0
// Multiplies subscripts out, as far as their factors come from outside of the kernel.
#include "model/subscript_products.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <utility>

namespace relayout::instrument {

using clang::dyn_cast;
using clang::isa;

namespace {

constexpr std::size_t kMostTerms = 128;

/// A value that the kernel is given, not one that its threads compute.
bool isGiven(const clang::ValueDecl &declaration) {
  if (const auto *parameter = dyn_cast<clang::ParmVarDecl>(&declaration)) {
    const auto *function = dyn_cast<clang::FunctionDecl>(parameter->getDeclContext());
    return function && function->hasAttr<clang::CUDAGlobalAttr>();
  }
  const auto *variable = dyn_cast<clang::VarDecl>(&declaration);
  return isa<clang::FieldDecl>(declaration) || (variable && variable->hasGlobalStorage());
}

} // namespace

bool SubscriptProducts::isOfSystem(clang::SourceLocation place) const {
  const clang::SourceManager &sources = ast_.getSourceManager();
  return place.isInvalid() || sources.isInSystemHeader(sources.getExpansionLoc(place));
}

void SubscriptProducts::addFrom(const clang::Expr &subscript) {
  const std::optional<Sum> sum = sumOf(subscript);
  if (!sum)
    return;
  for (const Product &product : *sum)
    for (const Factor &factor : product)
      for (const clang::SourceLocation name : factor) {
        const auto size = static_cast<unsigned>(product.size());
        unsigned &digit = digits_.try_emplace(name, size).first->second;
        digit = std::min(digit, size);
      }
}

unsigned SubscriptProducts::digitOf(const clang::ValueDecl &declaration) const {
  const auto entry = digits_.find(placeOf(declaration));
  return entry == digits_.end() ? 0 : entry->second;
}

bool SubscriptProducts::addGiven(const clang::Expr &expression, Factor &names) const {
  const clang::Expr *bare = expression.IgnoreParenCasts();
  if (constantOf(*bare, ast_))
    return true;
  if (const auto *sum = dyn_cast<clang::BinaryOperator>(bare))
    return sum->isAdditiveOp() && addGiven(*sum->getLHS(), names) &&
           addGiven(*sum->getRHS(), names);
  const clang::ValueDecl *declaration = named(*bare);
  if (!declaration || !isGiven(*declaration) || isOfSystem(placeOf(*declaration)))
    return false;
  names.insert(placeOf(*declaration));
  return true;
}

std::optional<SubscriptProducts::Sum> SubscriptProducts::sumOf(const clang::Expr &expression) {
  const clang::Expr *bare = expression.IgnoreParenCasts();
  if (constantOf(*bare, ast_))
    return Sum{{}};
  if (const auto *operation = dyn_cast<clang::BinaryOperator>(bare)) {
    if (Factor names; addGiven(*operation, names) && !names.empty())
      return Sum{{std::move(names)}};
    const bool isProduct = operation->getOpcode() == clang::BO_Mul;
    if (!isProduct && !operation->isAdditiveOp())
      return Sum{{}};
    const std::optional<Sum> left = sumOf(*operation->getLHS()),
                             right = sumOf(*operation->getRHS());
    if (!left || !right)
      return std::nullopt;
    Sum result = isProduct ? Sum() : *left;
    if (!isProduct)
      result.insert(result.end(), right->begin(), right->end());
    else
      for (const Product &a : *left)
        for (const Product &b : *right)
          result.emplace_back(a).insert(b.begin(), b.end());
    return result.size() <= kMostTerms ? std::optional(std::move(result)) : std::nullopt;
  }
  const clang::ValueDecl *declaration = named(*bare);
  return declaration ? sumOf(*declaration) : Sum{{}};
}

std::optional<SubscriptProducts::Sum>
SubscriptProducts::sumOf(const clang::ValueDecl &declaration) {
  const clang::SourceLocation place = placeOf(declaration);
  if (isOfSystem(place))
    return Sum{{}};
  if (isGiven(declaration))
    return Sum{{Factor{place}}};
  if (sources_.isChanged(place) || !open_.insert(place).second)
    return Sum{{}};
  Sum result;
  for (const clang::Expr *value : sources_.of(place)) {
    const std::optional<Sum> sum = sumOf(*value);
    if (!sum || result.size() + sum->size() > kMostTerms) {
      open_.erase(place);
      return std::nullopt;
    }
    result.insert(result.end(), sum->begin(), sum->end());
  }
  open_.erase(place);
  if (result.empty())
    result.emplace_back();
  return result;
}

} // namespace relayout::instrument
