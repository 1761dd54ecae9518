// SPDX-License-Identifier: Apache-2.0
// Finds the factors in device code, and follows them to where their values come from.
#include "model/multipliers.h"

#include "model/subscript_products.h"
#include "parse/written_for_device.h"
#include "relayout/trace/site_table.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <deque>
#include <utility>

namespace relayout::instrument {

using clang::dyn_cast;
using clang::isa;

namespace {

constexpr std::uint64_t kLargestConstant = 0x4000'0000;
constexpr std::uint64_t kLargestShift = 30;

bool isFactor(std::uint64_t constant) { return constant >= 2 && constant <= kLargestConstant; }

std::optional<std::uint64_t> shiftedBy(const clang::Expr &bits, const clang::ASTContext &ast) {
  const std::optional<std::uint64_t> shift = constantOf(bits, ast);
  return shift && *shift <= kLargestShift ? std::optional(std::uint64_t{1} << *shift)
                                          : std::nullopt;
}

/// `sizeof(T)`: its product counts bytes.
bool isSize(const clang::Expr &operand) {
  return isa<clang::UnaryExprOrTypeTraitExpr>(operand.IgnoreParenCasts());
}

/// The operands of multiplications and divisions, and the subscripts, of device code.
class DeviceArithmetic : public clang::DynamicRecursiveASTVisitor {
public:
  DeviceArithmetic(ParsedUnit &unit, const ArrayFlow &flow)
      : sources_(unit.sources()), flow_(flow) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool TraverseDecl(clang::Decl *declaration) override {
    if (declaration && !isa<clang::TranslationUnitDecl>(declaration) &&
        sources_.isInSystemHeader(sources_.getExpansionLoc(declaration->getLocation())))
      return true;
    const auto *function = dyn_cast_or_null<clang::FunctionDecl>(declaration);
    const bool outer = isInDeviceCode_;
    isInDeviceCode_ |= function && isWrittenForDevice(*function);
    const bool goOn = clang::DynamicRecursiveASTVisitor::TraverseDecl(declaration);
    isInDeviceCode_ = outer;
    return goOn;
  }

  bool VisitBinaryOperator(clang::BinaryOperator *operation) override {
    if (!isInDeviceCode_)
      return true;
    const clang::Expr *left = operation->getLHS(), *right = operation->getRHS();
    if (operation->isAdditiveOp() || operation->isCompoundAssignmentOp()) {
      if (right->getType()->isPointerType())
        std::swap(left, right);
      if (left->getType()->isPointerType() && right->getType()->isIntegerType())
        addSubscript(*left, *right);
    }
    if (!operation->getType()->isIntegerType())
      return true;
    if (operation->isMultiplicativeOp() && !isSize(*operation->getLHS()) &&
        !isSize(*operation->getRHS()))
      operands.insert(operands.end(), {operation->getLHS(), operation->getRHS()});
    else if (operation->isShiftOp())
      shifts.push_back(operation->getRHS());
    return true;
  }
  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr *access) override {
    if (isInDeviceCode_)
      addSubscript(*access->getBase(), *access->getIdx());
    return true;
  }

  std::vector<const clang::Expr *> operands;
  std::vector<const clang::Expr *> shifts; ///< by how many bits
  std::map<std::uint32_t, std::vector<const clang::Expr *>> subscripts;

private:
  void addSubscript(const clang::Expr &array, const clang::Expr &subscript) {
    if (const std::uint32_t group = flow_.groupOf(&array); group != trace::kNone)
      subscripts[group].push_back(&subscript);
  }

  const clang::SourceManager &sources_;
  const ArrayFlow &flow_;
  bool isInDeviceCode_ = false;
};

/// The factors that a subscript has as it is written, in itself or in what its variables are given.
class FactorFinder {
public:
  FactorFinder(const ValueSources &sources, const clang::ASTContext &ast)
      : sources_(sources), ast_(ast) {}

  void addFrom(const clang::Expr &subscript) {
    const clang::Expr *bare = subscript.IgnoreParenCasts();
    if (const auto *choice = dyn_cast<clang::ConditionalOperator>(bare)) {
      addFrom(*choice->getTrueExpr());
      return addFrom(*choice->getFalseExpr());
    }
    if (const auto *operation = dyn_cast<clang::BinaryOperator>(bare)) {
      const clang::BinaryOperatorKind kind = operation->getOpcode();
      if (kind == clang::BO_Mul) {
        found.insert(found.end(), {operation->getLHS(), operation->getRHS()});
      } else if (kind == clang::BO_Shl) {
        if (const auto constant = shiftedBy(*operation->getRHS(), ast_))
          shifts.push_back(*constant);
      }
      addFrom(*operation->getLHS());
      if (kind == clang::BO_Mul || operation->isAdditiveOp())
        addFrom(*operation->getRHS());
      return;
    }
    const clang::ValueDecl *declaration = named(*bare);
    if (!declaration || constantOf(*bare, ast_) || !seen_.insert(placeOf(*declaration)).second)
      return;
    for (const clang::Expr *value : sources_.of(placeOf(*declaration)))
      addFrom(*value);
  }

  std::vector<const clang::Expr *> found;
  std::vector<std::uint64_t> shifts;

private:
  const ValueSources &sources_;
  const clang::ASTContext &ast_;
  std::set<clang::SourceLocation> seen_;
};

/// The names in a sum.
void addTerms(const clang::Expr &expression, std::vector<const clang::ValueDecl *> &terms) {
  const auto *sum = dyn_cast<clang::BinaryOperator>(expression.IgnoreParenCasts());
  if (sum && sum->isAdditiveOp()) {
    addTerms(*sum->getLHS(), terms);
    addTerms(*sum->getRHS(), terms);
  } else if (const clang::ValueDecl *declaration = named(expression)) {
    terms.push_back(declaration);
  }
}

} // namespace

std::optional<unsigned> SubscriptFactors::stepsFrom(const ExtentName &name) const {
  const std::map<clang::SourceLocation, unsigned> &known = name.isSum ? terms_ : factors_;
  std::optional<unsigned> steps;
  for (const clang::ValueDecl *declaration : name.declarations) {
    const auto entry = known.find(placeOf(*declaration));
    if (entry == known.end())
      return std::nullopt;
    steps = std::max(steps.value_or(0), entry->second);
  }
  return steps;
}

std::optional<unsigned> SubscriptFactors::stepsFrom(std::uint64_t constant) const {
  const auto entry = constants_.find(constant);
  return entry == constants_.end() ? std::nullopt : std::optional(entry->second);
}

unsigned SubscriptFactors::digitOf(const ExtentName &name) const {
  unsigned digit = 0;
  for (const clang::ValueDecl *declaration : name.declarations)
    if (const auto entry = digits_.find(placeOf(*declaration)); entry != digits_.end())
      digit = std::max(digit, entry->second);
  return digit;
}

Multipliers::Multipliers(ParsedUnit &unit, const ArrayFlow &flow)
    : ast_(unit.ast()), sources_(unit) {
  DeviceArithmetic arithmetic(unit, flow);
  arithmetic.TraverseAST(unit.ast());
  subscripts_ = std::move(arithmetic.subscripts);
  for (const clang::Expr *operand : arithmetic.operands)
    for (const std::uint64_t constant : sources_.constantsOnly(*operand))
      if (isFactor(constant))
        constants_.insert(constant);
  for (const clang::Expr *bits : arithmetic.shifts)
    if (const auto constant = shiftedBy(*bits, ast_); constant && isFactor(*constant))
      constants_.insert(*constant);
}

SubscriptFactors Multipliers::factorsOf(std::uint32_t group) const {
  SubscriptFactors result;
  const auto subscripts = subscripts_.find(group);
  if (subscripts == subscripts_.end())
    return result;
  FactorFinder factors(sources_, ast_);
  SubscriptProducts products(ast_, sources_);
  for (const clang::Expr *subscript : subscripts->second) {
    factors.addFrom(*subscript);
    products.addFrom(*subscript);
  }
  for (const std::uint64_t constant : factors.shifts)
    result.constants_.emplace(constant, 0);
  struct Reached {
    const clang::Expr *value = nullptr;
    bool isTerm = false;
    unsigned steps = 0;
    unsigned digit = 0; ///< of the name that it leads to
  };
  std::deque<Reached> open; // nearest first
  for (const clang::Expr *factor : factors.found)
    open.push_back({factor});
  for (; !open.empty(); open.pop_front()) {
    const auto [value, isTerm, steps, digit] = open.front();
    const std::optional<std::uint64_t> constant = constantOf(*value, ast_);
    if (constant && !isTerm)
      result.constants_.emplace(*constant, steps);
    if (constant)
      continue;
    std::vector<const clang::ValueDecl *> names;
    addTerms(*value, names);
    const bool areTerms = isTerm || !named(*value);
    for (const clang::ValueDecl *name : names) {
      const clang::SourceLocation place = placeOf(*name);
      const unsigned own = digit != 0 ? digit : products.digitOf(*name);
      if ((areTerms ? result.terms_ : result.factors_).emplace(place, steps).second) {
        if (own != 0)
          result.digits_.emplace(place, own);
        for (const clang::Expr *source : sources_.of(place))
          open.push_back({source, areTerms, steps + 1, own});
      }
    }
  }
  return result;
}

} // namespace relayout::instrument
