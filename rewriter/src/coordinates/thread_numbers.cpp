// SPDX-License-Identifier: Apache-2.0
// Numbers that CUDA gives threads and blocks.
#include "coordinates/thread_numbers.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

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

constexpr std::uint64_t kLargest = 0x7fff'ffff;
/// Threads that launches are expected to have at most, where the limits of CUDA do not say it.
constexpr std::uint64_t kThreads = std::uint64_t{1} << 28;
constexpr std::uint64_t kThreadsOfBlock = 1024;
/// Of what is added to the number of a thread of any grid.
constexpr std::uint64_t kLargestAdded = 0xffff;
/// Of a sum that is multiplied out.
constexpr std::size_t kMostTerms = 64;

/// A product of numbers of threads and blocks.
struct Term {
  std::uint64_t constant = 1;
  std::vector<std::string> numbers; ///< "threadIdx.x"
};

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  return a != 0 && b > ~std::uint64_t{0} / a ? ~std::uint64_t{0} : a * b;
}

bool isOfGrid(const std::string &number) {
  return number.starts_with("blockIdx") || number.starts_with("gridDim");
}

/// What CUDA allows at most.
std::uint64_t largestOf(const std::string &number) {
  const char axis = number.back();
  if (isOfGrid(number))
    return axis == 'x' ? kLargest : 0xffff;
  return axis == 'z' ? 64 : kThreadsOfBlock;
}

/// True where a product has one number of the grid, and one of the block, for each axis at most.
bool countsEachAxisOnce(const Term &term) {
  std::vector<std::pair<bool, char>> known;
  for (const std::string &number : term.numbers) {
    const std::pair axis{isOfGrid(number), number.back()};
    if (std::ranges::find(known, axis) != known.end())
      return false;
    known.push_back(axis);
  }
  return true;
}

/// The largest value of a product whose number of the grid is of some thread: a constant stands for
/// the extent of a block, and what is more than that for elements of one thread.
std::uint64_t largestOfThread(const Term &term) {
  std::uint64_t block = 1;
  for (const std::string &number : term.numbers)
    if (!isOfGrid(number))
      block = product(block, largestOf(number));
  block = product(std::min(block, kThreadsOfBlock), term.constant);
  return product(kThreads, (block + kThreadsOfBlock - 1) / kThreadsOfBlock);
}

bool fitsInt(const std::vector<Term> &terms) {
  std::uint64_t sum = 0, added = 0;
  bool isExpected = false;
  for (const Term &term : terms) {
    std::uint64_t largest = term.constant;
    for (const std::string &number : term.numbers)
      largest = product(largest, largestOf(number));
    if (term.numbers.empty())
      added += std::min(largest, kLargest);
    if (largest >= kLargest && countsEachAxisOnce(term)) {
      isExpected = true;
      largest = largestOfThread(term);
    }
    sum += std::min(largest, kLargest + 1);
  }
  return sum <= kLargest && (!isExpected || added <= kLargestAdded);
}

std::vector<Term> multiplied(const std::vector<Term> &left, const std::vector<Term> &right) {
  std::vector<Term> terms;
  for (const Term &a : left)
    for (const Term &b : right) {
      Term term{product(a.constant, b.constant), a.numbers};
      term.numbers.insert(term.numbers.end(), b.numbers.begin(), b.numbers.end());
      terms.push_back(std::move(term));
    }
  return terms;
}

struct ThreadSum {
  std::string text;
  std::vector<Term> terms;
};

std::optional<ThreadSum> threadSumOf(const clang::Expr &expression, const clang::ASTContext &ast) {
  const clang::Expr *bare = expression.IgnoreParenImpCasts();
  if (const std::optional<std::string> name = builtinNamed(*bare))
    return ThreadSum{*name, {{1, {*name}}}};
  if (bare->isValueDependent() || !bare->getType()->isIntegerType())
    return std::nullopt;
  if (const auto constant = bare->getIntegerConstantExpr(ast)) {
    if (constant->isNegative() || constant->getActiveBits() >= 31)
      return std::nullopt;
    return ThreadSum{std::to_string(constant->getExtValue()), {{constant->getZExtValue(), {}}}};
  }
  const auto *operation = dyn_cast<clang::BinaryOperator>(bare);
  if (!operation ||
      (operation->getOpcode() != clang::BO_Add && operation->getOpcode() != clang::BO_Mul))
    return std::nullopt;
  std::optional<ThreadSum> left = threadSumOf(*operation->getLHS(), ast);
  std::optional<ThreadSum> right = threadSumOf(*operation->getRHS(), ast);
  if (!left || !right || left->terms.size() * right->terms.size() > kMostTerms)
    return std::nullopt;
  if (operation->getOpcode() == clang::BO_Add) {
    left->terms.insert(left->terms.end(), right->terms.begin(), right->terms.end());
    return ThreadSum{left->text + " + " + right->text, std::move(left->terms)};
  }
  const auto factor = [](const std::string &text) {
    return text.find('+') == std::string::npos ? text : "(" + text + ")";
  };
  return ThreadSum{factor(left->text) + " * " + factor(right->text),
                   multiplied(left->terms, right->terms)};
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

std::optional<ThreadNumber> threadNumber(const clang::Expr &expression,
                                         const clang::ASTContext &ast) {
  const std::optional<ThreadSum> number = threadSumOf(expression, ast);
  if (!number || !fitsInt(number->terms))
    return std::nullopt;
  std::int64_t least = 0;
  for (const Term &term : number->terms)
    if (term.numbers.empty())
      least += static_cast<std::int64_t>(term.constant);
  return ThreadNumber{number->text, least};
}

} // namespace relayout::rewriter
