// SPDX-License-Identifier: Apache-2.0
// Where the integers come from that functions are called with.
#include "coordinates/host_values.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>

#include <algorithm>

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::isa;

namespace {

/// Calls within calls that are followed.
constexpr int kDeepestCall = 8;
constexpr unsigned kSmallestBits = 32;

/// Below conversions between integers that keep the values of extents: an allocation fails if one
/// does not fit in 31 bits.
const clang::Expr *behindConversions(const clang::Expr *expression, const clang::ASTContext &ast) {
  while (true) {
    expression = expression->IgnoreParens();
    const auto *conversion = dyn_cast<clang::CastExpr>(expression);
    if (!conversion)
      return expression;
    switch (conversion->getCastKind()) {
    case clang::CK_LValueToRValue:
    case clang::CK_NoOp:
      break;
    case clang::CK_IntegralCast:
      if (ast.getTypeSize(conversion->getType()) < kSmallestBits)
        return expression;
      break;
    default:
      return expression;
    }
    expression = conversion->getSubExpr();
  }
}

std::optional<std::int64_t> numberOf(const clang::Expr &expression, const clang::ASTContext &ast) {
  if (expression.isValueDependent() || !expression.getType()->isIntegralOrEnumerationType())
    return std::nullopt;
  const auto value = expression.getIntegerConstantExpr(ast);
  if (!value || value->isNegative() || value->getActiveBits() > 31) // or a parameter may cut it off
    return std::nullopt;
  return value->getExtValue();
}

bool isWideEnough(clang::QualType type, const clang::ASTContext &ast) {
  return type->isIntegerType() && !type->isBooleanType() && ast.getTypeSize(type) >= kSmallestBits;
}

} // namespace

const FunctionBody &HostValues::bodyOf(const clang::FunctionDecl &function) {
  std::unique_ptr<FunctionBody> &body = bodies_[&function];
  if (!body)
    body = std::make_unique<FunctionBody>(program_.index, function);
  return *body;
}

std::optional<HostValue> HostValues::of(const clang::Expr &expression,
                                        const clang::FunctionDecl &around,
                                        const clang::Stmt &from) {
  const clang::ASTContext &ast = program_.unit.ast();
  if (const std::optional<std::int64_t> number = numberOf(expression, ast))
    return HostValue{.number = *number};
  const clang::Expr *bare = behindConversions(&expression, ast);
  if (!isWideEnough(bare->getType(), ast))
    return std::nullopt;
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(bare)) {
    const auto *variable = dyn_cast<clang::VarDecl>(name->getDecl());
    if (variable && variable->hasGlobalStorage())
      return ofOuter(*variable);
    return variable ? ofVariable(*variable, around, from) : std::nullopt;
  }
  const auto *member = dyn_cast<clang::MemberExpr>(bare);
  const auto *field = member ? dyn_cast<clang::FieldDecl>(member->getMemberDecl()) : nullptr;
  const auto *object = field && !member->isArrow()
                           ? dyn_cast<clang::DeclRefExpr>(member->getBase()->IgnoreParenImpCasts())
                           : nullptr;
  const auto *record = object ? dyn_cast<clang::VarDecl>(object->getDecl()) : nullptr;
  if (record && !field->isMutable() && !field->isBitField() &&
      record->getType().isConstQualified() && !record->getType()->isReferenceType() &&
      record->hasLocalStorage() && !isa<clang::ParmVarDecl>(record))
    return HostValue{.variable = record, .member = field};
  return field ? ofOuter(*field) : std::nullopt;
}

std::optional<HostValue> HostValues::ofOuter(const clang::ValueDecl &declaration) {
  // What leads to itself has no value.
  const auto [entry, isNew] = outerValues_.try_emplace(&declaration);
  if (isNew)
    entry->second = findOuter(declaration);
  return entry->second;
}

std::optional<HostValue> HostValues::findOuter(const clang::ValueDecl &declaration) {
  const auto *field = dyn_cast<clang::FieldDecl>(&declaration);
  const auto *global = dyn_cast<clang::VarDecl>(&declaration);
  if (!isWideEnough(declaration.getType(), program_.unit.ast()) || (field && field->isBitField()))
    return std::nullopt;
  const OuterValues::Writes &writes = outer_.of(declaration);
  if (!writes.areKnown || writes.all.empty())
    return std::nullopt;
  const auto valueOf = [this](const OuterValues::Written &written) -> std::optional<HostValue> {
    if (const auto number = numberOf(*written.value, program_.unit.ast()))
      return HostValue{.number = *number};
    return written.around ? of(*written.value, *written.around, *written.value) : std::nullopt;
  };
  const std::optional<HostValue> first = valueOf(writes.all.front());
  if (first && std::ranges::all_of(writes.all, [&](const OuterValues::Written &written) {
        return valueOf(written) == first;
      }))
    return first;
  const bool hasOne = (writes.all.size() == 1 && outer_.isOnce(writes.all.front())) ||
                      (global && outer_.isSettledFirst(*global));
  return hasOne ? std::optional(HostValue{.variable = global, .member = field}) : std::nullopt;
}

std::optional<HostValue> HostValues::ofVariable(const clang::VarDecl &variable,
                                                const clang::FunctionDecl &around,
                                                const clang::Stmt &from) {
  if (variable.getDeclContext() != &around ||
      !isWideEnough(variable.getType(), program_.unit.ast()))
    return std::nullopt;
  const FunctionBody &body = bodyOf(around);
  if (const auto *parameter = dyn_cast<clang::ParmVarDecl>(&variable);
      parameter && body.isNeverChanged(variable))
    return ofParameter(*parameter, around);
  if (!body.isSettled(variable, from))
    return std::nullopt;
  if (body.isNeverChanged(variable) && depth_ < kDeepestCall) {
    ++depth_;
    const clang::Stmt *declaration = body.declarationOf(variable);
    const std::optional<HostValue> copied =
        declaration ? of(*variable.getInit(), around, *declaration) : std::nullopt;
    --depth_;
    if (copied)
      return copied;
  }
  return HostValue{.variable = &variable};
}

std::optional<HostValue> HostValues::ofParameter(const clang::ParmVarDecl &parameter,
                                                 const clang::FunctionDecl &function) {
  const clang::ASTContext &ast = program_.unit.ast();
  if (!isWideEnough(parameter.getType(), ast) || !bodyOf(function).isNeverChanged(parameter))
    return std::nullopt;
  if (depth_ < kDeepestCall) {
    ++depth_;
    const std::optional<HostValue> passed = ofCalls(parameter.getFunctionScopeIndex(), function);
    --depth_;
    if (passed)
      return passed;
  }
  return HostValue{.variable = &parameter};
}

std::optional<HostValue> HostValues::ofCalls(unsigned position,
                                             const clang::FunctionDecl &function) {
  const std::vector<Callers::Call> *calls = callers_.of(function);
  if (!calls)
    return std::nullopt;
  std::optional<HostValue> passed;
  for (const auto &[call, caller] : *calls) {
    const llvm::ArrayRef<const clang::Expr *> arguments = instrument::argumentsOf(*call);
    const std::optional<HostValue> value =
        position < arguments.size() ? of(*arguments[position], *caller, *call) : std::nullopt;
    if (!value || (passed && *passed != *value))
      return std::nullopt;
    passed = value;
  }
  return passed;
}

std::optional<HostValue> HostValues::ofFactor(const std::string &factor,
                                              const instrument::ExtentName *name,
                                              const Callers::Call &allocation) {
  if (!name)
    return HostValue{.number = std::stoll(factor)};
  const FunctionBody &body = bodyOf(*allocation.around);
  const std::size_t dot = factor.find('.');
  const clang::VarDecl *variable = body.onlyVariableNamed(factor.substr(0, dot));
  const clang::Stmt *scope = variable ? body.scopeOf(*variable) : nullptr;
  const bool isVisible = scope && body.isInside(allocation.expression, scope) &&
                         program_.unit.sources().isBeforeInTranslationUnit(
                             variable->getLocation(), allocation.expression->getBeginLoc());
  if (isVisible && dot == std::string::npos)
    return ofVariable(*variable, *allocation.around, *allocation.expression);
  const auto *record = isVisible ? variable->getType()->getAsRecordDecl() : nullptr;
  if (record && variable->getType().isConstQualified() && variable->hasLocalStorage() &&
      !isa<clang::ParmVarDecl>(variable))
    for (const clang::FieldDecl *field : record->fields())
      if (field->getName() == factor.substr(dot + 1) && !field->isMutable() &&
          !field->isBitField() && isWideEnough(field->getType(), program_.unit.ast()))
        return HostValue{.variable = variable, .member = field};
  const clang::ValueDecl *outer =
      !name->isSum && name->declarations.size() == 1 ? name->declarations.front() : nullptr;
  const auto *global = dyn_cast_or_null<clang::VarDecl>(outer);
  return outer && (isa<clang::FieldDecl>(outer) || (global && global->hasGlobalStorage()))
             ? ofOuter(*outer)
             : std::nullopt;
}

bool HostValues::outlives(const HostValue &value, const instrument::ArrayGroup &group) {
  if (!value.variable || value.variable->hasGlobalStorage())
    return true;
  const auto *owner = dyn_cast<clang::FunctionDecl>(value.variable->getDeclContext());
  if (!owner || !owner->hasBody())
    return false;
  const FunctionBody &body = bodyOf(*owner);
  const clang::Stmt *scope = body.scopeOf(*value.variable);
  if (!scope || body.hasLabels())
    return false;
  if (owner->isMain() && scope == owner->getBody())
    return true;
  return std::ranges::all_of(group.declarations, [&](const clang::ValueDecl *declaration) {
    const auto *pointer = dyn_cast<clang::VarDecl>(declaration);
    if (!pointer || !pointer->hasLocalStorage() || !pointer->getType()->isPointerType() ||
        pointer->getType()->getPointeeType()->isPointerType())
      return false;
    const auto *function = dyn_cast<clang::FunctionDecl>(pointer->getDeclContext());
    const bool isDevice =
        function &&
        (function->hasAttr<clang::CUDAGlobalAttr>() ||
         (function->hasAttr<clang::CUDADeviceAttr>() && !function->hasAttr<clang::CUDAHostAttr>()));
    if (isDevice || (isa<clang::ParmVarDecl>(pointer) && function && function != owner))
      return true;
    const clang::Stmt *place = body.declarationOf(*pointer);
    return place && body.isInside(place, scope);
  });
}

} // namespace relayout::rewriter
