// SPDX-License-Identifier: Apache-2.0
// Integer expressions in front of one access as polynomials.
#include "coordinates/reading.h"

#include "coordinates/thread_numbers.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::isa;

namespace {

/// Definitions within definitions that are followed.
constexpr int kDeepestDefinition = 12;

bool isInteger(clang::QualType type) { return type->isIntegerType() && !type->isBooleanType(); }

/// True where every value of one type is one of another.
bool holdsAll(clang::QualType from, clang::QualType to, const clang::ASTContext &ast) {
  const std::uint64_t own = ast.getIntWidth(from), other = ast.getIntWidth(to);
  if (from->isUnsignedIntegerOrEnumerationType() == to->isUnsignedIntegerOrEnumerationType())
    return other >= own;
  return from->isUnsignedIntegerOrEnumerationType() && other > own;
}

/// The constant variable that an expression names.
const clang::VarDecl *constantNamed(const clang::Expr &expression) {
  const auto *name = dyn_cast<clang::DeclRefExpr>(expression.IgnoreParenImpCasts());
  return name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
}

/// What a function of one `return` returns.
const clang::Expr *onlyReturned(const clang::FunctionDecl &function) {
  const auto *body = dyn_cast_or_null<clang::CompoundStmt>(function.getBody());
  const auto *method = dyn_cast<clang::CXXMethodDecl>(&function);
  if (!body || body->size() != 1 ||
      (method && (method->isVirtual() || method->isOverloadedOperator())))
    return nullptr;
  const auto *last = dyn_cast<clang::ReturnStmt>(body->body_front());
  return last ? last->getRetValue() : nullptr;
}

void addNamed(const clang::Stmt &part, std::set<const clang::VarDecl *> &named) {
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(&part))
    if (const auto *variable = dyn_cast<clang::VarDecl>(name->getDecl()))
      named.insert(variable);
  for (const clang::Stmt *child : part.children())
    if (child)
      addNamed(*child, named);
}

} // namespace

Reading::Reading(HostValues &values, const FunctionBody &body, const clang::Expr &access,
                 const std::vector<HostValue> &extents)
    : values_(values), body_(body), access_(access), ast_(body.function().getASTContext()),
      extents_(extents) {
  addNamed(access, named_);
}

Atom Reading::newAtom(Known known) {
  atoms_.push_back(std::move(known));
  return static_cast<Atom>(atoms_.size() - 1);
}

/// What every value of a type is between.
void Reading::addRange(Atom atom, clang::QualType type) {
  const Polynomial value = Polynomial::of(atom);
  const std::uint64_t bits = ast_.getIntWidth(type);
  const bool isUnsigned = type->isUnsignedIntegerOrEnumerationType();
  if (isUnsigned)
    facts_.addNonNegative(value);
  if (bits > 32)
    return;
  const std::int64_t values = std::int64_t{1} << (isUnsigned ? bits : bits - 1);
  facts_.addNonNegative(Polynomial(values - 1) - value);
  if (!isUnsigned)
    facts_.addNonNegative(value + Polynomial(values));
}

Polynomial Reading::valueOf(const HostValue &extent) {
  if (extent.isNumber())
    return Polynomial(extent.number);
  for (const auto &[known, atom] : hostValues_)
    if (known == extent)
      return Polynomial::of(atom);
  // The array has elements: its allocation, which fails for other extents, has not.
  const Atom atom = newAtom({.text = {}});
  facts_.addNonNegative(Polynomial::of(atom) - Polynomial(1));
  facts_.addNonNegative(Polynomial(kLargestInt) - Polynomial::of(atom));
  hostValues_.emplace_back(extent, atom);
  return Polynomial::of(atom);
}

std::optional<Polynomial> Reading::valueOf(const clang::Expr &expression, const clang::Stmt &at) {
  if (expression.isValueDependent() || !isInteger(expression.getType()) ||
      ast_.getIntWidth(expression.getType()) > 64)
    return std::nullopt;
  if (const auto number = expression.getIntegerConstantExpr(ast_)) {
    if (number->getSignificantBits() > 62)
      return std::nullopt;
    const clang::VarDecl *name = constantNamed(expression);
    if (name && &at == &access_ && arguments_.empty() && body_.means(*name, access_))
      numbers_.try_emplace(number->getExtValue(), name->getNameAsString());
    return Polynomial(number->getExtValue());
  }
  if (const auto *parens = dyn_cast<clang::ParenExpr>(&expression))
    return valueOf(*parens->getSubExpr(), at);
  if (const auto *full = dyn_cast<clang::FullExpr>(&expression))
    return valueOf(*full->getSubExpr(), at);
  if (const auto *conversion = dyn_cast<clang::CastExpr>(&expression))
    return ofCast(*conversion, at);
  if (const auto *operation = dyn_cast<clang::BinaryOperator>(&expression))
    return ofOperation(*operation, at);
  if (const auto *call = dyn_cast<clang::CallExpr>(&expression)) {
    const clang::Expr *returned = enter(*call, at);
    if (!returned)
      return std::nullopt;
    const std::optional<Polynomial> value = valueOf(*returned, at);
    leave();
    return value;
  }
  if (builtinNamed(expression))
    return ofThread(expression);
  const auto *sign = dyn_cast<clang::UnaryOperator>(&expression);
  if (!sign || !expression.getType()->isSignedIntegerType() ||
      (sign->getOpcode() != clang::UO_Minus && sign->getOpcode() != clang::UO_Plus))
    return std::nullopt;
  const std::optional<Polynomial> operand = valueOf(*sign->getSubExpr(), at);
  if (!operand || sign->getOpcode() == clang::UO_Plus)
    return operand;
  return Polynomial(-1) * *operand;
}

std::optional<Polynomial> Reading::ofCast(const clang::CastExpr &conversion,
                                          const clang::Stmt &at) {
  const clang::Expr &inner = *conversion.getSubExpr();
  switch (conversion.getCastKind()) {
  case clang::CK_NoOp:
    return valueOf(inner, at);
  case clang::CK_LValueToRValue: {
    const clang::Expr *named = inner.IgnoreParens();
    if (builtinNamed(*named))
      return ofThread(*named);
    if (const auto *member = dyn_cast<clang::MemberExpr>(named))
      return ofMember(*member);
    const auto *name = dyn_cast<clang::DeclRefExpr>(named);
    const auto *variable = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
    return variable ? ofVariable(*variable, at) : std::nullopt;
  }
  case clang::CK_IntegralCast: {
    std::optional<Polynomial> value = valueOf(inner, at);
    if (value && (holdsAll(inner.getType(), conversion.getType(), ast_) ||
                  fits(*value, conversion.getType())))
      return value;
    return ast_.getIntWidth(conversion.getType()) >= 32 ? ofThread(inner) : std::nullopt;
  }
  default:
    return std::nullopt;
  }
}

std::optional<Polynomial> Reading::congruentTo(const clang::Expr &expression,
                                               const clang::Stmt &at) {
  const clang::Expr *bare = expression.IgnoreParens();
  if (bare->isValueDependent() || !isInteger(bare->getType()) ||
      ast_.getIntWidth(bare->getType()) != 64)
    return std::nullopt;
  if (std::optional<Polynomial> value = valueOf(*bare, at))
    return value;
  if (const auto *conversion = dyn_cast<clang::CastExpr>(bare)) {
    const clang::Expr &inner = *conversion->getSubExpr();
    if (conversion->getCastKind() != clang::CK_IntegralCast)
      return std::nullopt;
    return ast_.getIntWidth(inner.getType()) == 64 ? congruentTo(inner, at) : valueOf(inner, at);
  }
  const auto *operation = dyn_cast<clang::BinaryOperator>(bare);
  if (!operation)
    return std::nullopt;
  const std::optional<Polynomial> left = congruentTo(*operation->getLHS(), at);
  const std::optional<Polynomial> right = congruentTo(*operation->getRHS(), at);
  if (!left || !right)
    return std::nullopt;
  switch (operation->getOpcode()) {
  case clang::BO_Add:
    return *left + *right;
  case clang::BO_Sub:
    return *left - *right;
  case clang::BO_Mul:
    return *left * *right;
  default:
    return std::nullopt;
  }
}

/// A number that threads are given, which its type holds.
std::optional<Polynomial> Reading::ofThread(const clang::Expr &expression) {
  const std::optional<ThreadNumber> number = threadNumber(expression, ast_);
  if (!number)
    return std::nullopt;
  const auto [entry, isNew] = threads_.try_emplace(number->text, 0);
  if (isNew) {
    entry->second =
        newAtom({.text = number->text, .isSum = number->text.find('+') != std::string::npos});
    facts_.addNonNegative(Polynomial::of(entry->second) - Polynomial(number->least));
    facts_.addNonNegative(Polynomial(kLargestInt) - Polynomial::of(entry->second));
  }
  return Polynomial::of(entry->second);
}

std::optional<Polynomial> Reading::ofOperation(const clang::BinaryOperator &operation,
                                               const clang::Stmt &at) {
  const bool isDivision =
      operation.getOpcode() == clang::BO_Div || operation.getOpcode() == clang::BO_Rem;
  if (!isDivision && operation.getOpcode() != clang::BO_Add &&
      operation.getOpcode() != clang::BO_Sub && operation.getOpcode() != clang::BO_Mul)
    return std::nullopt;
  const std::optional<Polynomial> left = valueOf(*operation.getLHS(), at);
  const std::optional<Polynomial> right = valueOf(*operation.getRHS(), at);
  if (!left || !right)
    return ofThread(operation);
  if (isDivision)
    return ofDivision(operation, *left, *right);
  const Polynomial value = operation.getOpcode() == clang::BO_Add   ? *left + *right
                           : operation.getOpcode() == clang::BO_Sub ? *left - *right
                                                                    : *left * *right;
  if (value.overflowed())
    return std::nullopt;
  // Signed arithmetic that overflows is undefined; unsigned arithmetic wraps.
  if (operation.getType()->isSignedIntegerType() || fits(value, operation.getType()))
    return value;
  return ofThread(operation);
}

std::optional<Polynomial> Reading::ofDivision(const clang::BinaryOperator &operation,
                                              const Polynomial &left, const Polynomial &right) {
  if (!facts_.proveNonNegative(left) || !facts_.proveNonNegative(right))
    return std::nullopt;
  const bool isRemainder = operation.getOpcode() == clang::BO_Rem;
  const std::tuple key{isRemainder ? Kind::Remainder : Kind::Quotient, left, right};
  if (const auto known = operations_.find(key); known != operations_.end())
    return Polynomial::of(known->second);
  const bool isInt = fits(left, ast_.IntTy) && fits(right, ast_.IntTy);
  const std::optional<std::string> dividend = isInt ? textOf(left) : std::nullopt,
                                   divisor = isInt ? textOf(right) : std::nullopt;
  const auto operand = [](const std::optional<std::string> &text) {
    return !text                                                ? std::string()
           : text->find_first_of("+-*/% ") == std::string::npos ? *text
                                                                : "(" + *text + ")";
  };
  const Atom atom =
      newAtom({.text = dividend && divisor ? fmt::format("{} {} {}", operand(dividend),
                                                         isRemainder ? '%' : '/', operand(divisor))
                                           : std::string(),
               .isSum = true});
  const Polynomial value = Polynomial::of(atom);
  facts_.addNonNegative(value);
  facts_.addNonNegative(left - value);
  if (isRemainder)
    facts_.addNonNegative(right - value - Polynomial(1));
  operations_.emplace(key, atom);
  return value;
}

std::optional<Polynomial> Reading::ofVariable(const clang::VarDecl &variable,
                                              const clang::Stmt &at) {
  if (const auto *parameter = dyn_cast<clang::ParmVarDecl>(&variable);
      parameter && !arguments_.empty()) {
    const auto entry = arguments_.back().find(parameter);
    return entry == arguments_.back().end() ? std::nullopt : std::optional(entry->second);
  }
  if (variable.getDeclContext() != &body_.function() || !isInteger(variable.getType()) ||
      !body_.keepsValue(variable, at, access_))
    return std::nullopt;
  if (const auto *parameter = dyn_cast<clang::ParmVarDecl>(&variable)) {
    const auto passed = values_.ofParameter(*parameter, body_.function());
    if (passed && passed->isNumber()) {
      if (body_.means(variable, access_))
        numbers_.try_emplace(passed->number, variable.getNameAsString());
      return Polynomial(passed->number);
    }
    if (passed && std::ranges::find(extents_, *passed) != extents_.end()) {
      const Polynomial extent = valueOf(*passed);
      Known &known = atoms_[extent.terms().begin()->first.front()];
      if (known.text.empty()) {
        known.text = variable.getNameAsString();
        known.variable = &variable;
      }
      return extent;
    }
  }
  return Polynomial::of(atomOf(variable));
}

/// One that has the same value in all objects.
std::optional<Polynomial> Reading::ofMember(const clang::MemberExpr &member) {
  const auto *field = dyn_cast<clang::FieldDecl>(member.getMemberDecl());
  const std::optional<HostValue> value = field ? values_.ofOuter(*field) : std::nullopt;
  if (!value)
    return std::nullopt;
  if (value->isNumber() || std::ranges::find(extents_, *value) != extents_.end())
    return valueOf(*value);
  for (const auto &[known, atom] : members_)
    if (known == *value)
      return Polynomial::of(atom);
  const Atom atom = newAtom({.text = {}});
  addRange(atom, member.getType());
  members_.emplace_back(*value, atom);
  return Polynomial::of(atom);
}

Atom Reading::atomOf(const clang::VarDecl &variable) {
  const auto [entry, isNew] = variables_.try_emplace(&variable, 0);
  if (!isNew)
    return entry->second;
  const Atom atom = newAtom({.text = variable.getNameAsString(), .variable = &variable});
  entry->second = atom;
  addRange(atom, variable.getType());
  if (depth_ < kDeepestDefinition) {
    ++depth_;
    if (const clang::ForStmt *loop = body_.loopCounting(variable, access_))
      knowStart(atom, variable, *loop);
    else
      define(atom, variable);
    --depth_;
  }
  return atom;
}

void Reading::define(Atom atom, const clang::VarDecl &variable) {
  const clang::Stmt *declaration = body_.declarationOf(variable);
  if (isa<clang::ParmVarDecl>(variable) || !variable.getInit() || !declaration ||
      !isa<clang::DeclStmt>(declaration))
    return;
  auto arguments = std::move(arguments_); // of calls around the name
  arguments_.clear();
  const std::optional<Polynomial> value = valueOf(*variable.getInit(), *declaration);
  arguments_ = std::move(arguments);
  if (!value)
    return;
  facts_.addEqual(Polynomial::of(atom), *value);
  atoms_[atom].definition = *value;
}

/// The variable of a loop has passed only what lies between its start and here.
void Reading::knowStart(Atom atom, const clang::VarDecl &variable, const clang::ForStmt &loop) {
  const std::optional<Counting> counting = countingOf(loop, ast_);
  if (ast_.getIntWidth(variable.getType()) < 32)
    return;
  if (!variable.getType()->isSignedIntegerType()) { // must not have wrapped
    const auto *test = dyn_cast_or_null<clang::BinaryOperator>(loop.getCond());
    if (counting->step != 1 || !test || test->getOpcode() != clang::BO_LT ||
        constantNamed(*test->getLHS()) != &variable)
      return;
  }
  const std::optional<Polynomial> start = valueOf(*counting->start, *loop.getInit());
  if (!start)
    return;
  const Polynomial value = Polynomial::of(atom);
  facts_.addNonNegative(counting->step > 0 ? value - *start : *start - value);
}

const clang::Expr *Reading::enter(const clang::CallExpr &call, const clang::Stmt &at) {
  const clang::FunctionDecl *callee = call.getDirectCallee();
  const clang::FunctionDecl *defined = nullptr;
  if (!callee || !callee->hasBody(defined) || arguments_.size() >= 4)
    return nullptr;
  const clang::Expr *returned = onlyReturned(*defined);
  if (!returned || defined->getNumParams() != call.getNumArgs())
    return nullptr;
  std::map<const clang::ParmVarDecl *, Polynomial> given;
  for (unsigned i = 0; i < call.getNumArgs(); ++i)
    if (values_.bodyOf(*defined).isNeverChanged(*defined->getParamDecl(i)))
      if (const std::optional<Polynomial> value = valueOf(*call.getArg(i), at))
        given.emplace(defined->getParamDecl(i), *value);
  arguments_.push_back(std::move(given));
  return returned;
}

std::vector<const clang::VarDecl *> Reading::computed() const {
  std::vector<const clang::VarDecl *> variables;
  for (const Known &known : atoms_)
    if (known.variable && known.definition)
      variables.push_back(known.variable);
  return variables;
}

Polynomial Reading::expanded(const Polynomial &polynomial) const {
  Polynomial result;
  for (const auto &[monomial, coefficient] : polynomial.terms()) {
    Polynomial product(coefficient);
    for (const Atom atom : monomial)
      product = product * atoms_[atom].definition.value_or(Polynomial::of(atom));
    result += product;
  }
  return result;
}

} // namespace relayout::rewriter
