// SPDX-License-Identifier: Apache-2.0
// Reads the template arguments of the standard library's containers, and the names of methods.
#include "relayout/instrument/clang/pointer_containers.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <string_view>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::dyn_cast_or_null;

const clang::ClassTemplateSpecializationDecl *standardInstance(clang::QualType type) {
  const auto *instance =
      dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  return instance && instance->isInStdNamespace() ? instance : nullptr;
}

/// A vector with the library's allocator, or an array.
bool isContainer(const clang::ClassTemplateSpecializationDecl &instance) {
  constexpr unsigned kAllocator = 1;
  const clang::TemplateArgumentList &arguments = instance.getTemplateArgs();
  if (instance.getName() == "array")
    return true;
  if (instance.getName() != "vector" || arguments.size() <= kAllocator)
    return false;
  const auto *allocator = standardInstance(arguments[kAllocator].getAsType());
  return allocator && allocator->getName() == "allocator";
}

/// Of `for (R *p : parts)`: the container behind `*__begin`.
const clang::Expr *rangeBehind(const clang::Expr &iterator) {
  const auto *name = dyn_cast<clang::DeclRefExpr>(iterator.IgnoreParenImpCasts());
  const auto *hidden = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  if (!hidden || !hidden->isImplicit() || !hidden->getInit())
    return nullptr;
  const clang::Expr *start = hidden->getInit()->IgnoreImplicit();
  if (const auto *copy = dyn_cast<clang::CXXConstructExpr>(start);
      copy && copy->getNumArgs() == 1) // before C++17
    start = copy->getArg(0)->IgnoreImplicit();
  return containerLedInto(*start);
}

} // namespace

clang::QualType pointerHeldBy(clang::QualType type) {
  const auto *instance = type.isNull() ? nullptr : standardInstance(type.getNonReferenceType());
  if (!instance || !isContainer(*instance) ||
      instance->getTemplateArgs()[0].getKind() != clang::TemplateArgument::Type)
    return {};
  const clang::QualType held = instance->getTemplateArgs()[0].getAsType();
  const bool isPlain = held->isPointerType() && !held.hasQualifiers() &&
                       !held->getPointeeType()->isPointerType() &&
                       !held->getPointeeType()->isArrayType();
  return isPlain ? held : clang::QualType();
}

const clang::Expr *containerCalled(const clang::CallExpr &call) {
  const clang::Expr *object = nullptr;
  if (const auto *method = dyn_cast<clang::CXXMemberCallExpr>(&call))
    object = method->getImplicitObjectArgument();
  else if (clang::isa<clang::CXXOperatorCallExpr>(call) &&
           clang::isa_and_nonnull<clang::CXXMethodDecl>(call.getCalleeDecl()))
    object = call.getArg(0);
  // Of a class that is derived from a container, nothing is known.
  return object && isPointerContainer(object->IgnoreParenImpCasts()->getType()) ? object : nullptr;
}

const clang::Expr *containerLedInto(const clang::Expr &expression) {
  static constexpr std::string_view kMethods[] = {"at", "front", "back", "data", "begin", "end"};
  const auto *call = dyn_cast<clang::CallExpr>(&expression);
  const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  if (!callee)
    return nullptr;
  if (callee->getOverloadedOperator() == clang::OO_Star && call->getNumArgs() == 1)
    return rangeBehind(*call->getArg(0));
  const bool leadsIn =
      callee->getOverloadedOperator() == clang::OO_Subscript ||
      (callee->getDeclName().isIdentifier() &&
       std::ranges::find(kMethods, std::string_view(callee->getName())) != std::end(kMethods));
  return leadsIn ? containerCalled(*call) : nullptr;
}

} // namespace relayout::instrument
