// SPDX-License-Identifier: Apache-2.0
// Compares the parameters of functions.
#include "legality/overloads.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast_or_null;

/// Whether no argument can be meant for both, whatever its type: a function's address is no object
/// of a class.
bool areUnlike(clang::QualType one, clang::QualType other) {
  const auto isOfFunction = [](clang::QualType type) {
    type = type.getNonReferenceType();
    return (type->isPointerType() ? type->getPointeeType() : type)->isFunctionType();
  };
  const auto isOfClass = [](clang::QualType type) {
    const clang::CXXRecordDecl *record = type.getNonReferenceType()->getAsCXXRecordDecl();
    return record && record->hasDefinition() && !type->isDependentType() &&
           std::ranges::none_of(record->decls(), [](const clang::Decl *member) {
             const clang::FunctionDecl *function = member->getAsFunction();
             const auto *made = dyn_cast_or_null<clang::CXXConstructorDecl>(function);
             return made && !made->isCopyOrMoveConstructor() && made->getNumParams() > 0 &&
                    made->getMinRequiredArguments() <= 1;
           });
  };
  return (isOfFunction(one) && isOfClass(other)) || (isOfClass(one) && isOfFunction(other));
}

bool areUnlike(const clang::FunctionDecl &one, const clang::FunctionDecl &other) {
  for (unsigned i = 0; i < std::min(one.getNumParams(), other.getNumParams()); ++i) {
    const clang::ParmVarDecl *first = one.getParamDecl(i), *second = other.getParamDecl(i);
    if (first->isParameterPack() || second->isParameterPack())
      return false;
    if (areUnlike(first->getType(), second->getType()))
      return true;
  }
  return false;
}

} // namespace

bool hasOneMeaning(const clang::FunctionDecl &function) {
  const clang::FunctionTemplateDecl *primary = function.getPrimaryTemplate();
  const clang::FunctionDecl &named = primary ? *primary->getTemplatedDecl() : function;
  if (primary && std::ranges::any_of(named.parameters(), [](const clang::ParmVarDecl *parameter) {
        return parameter->getType()->isDependentType();
      }))
    return false;
  return std::ranges::all_of(
      named.getDeclContext()->getRedeclContext()->lookup(named.getDeclName()),
      [&](const clang::NamedDecl *known) {
        const clang::FunctionDecl *other = known->getAsFunction();
        return other &&
               (other->getCanonicalDecl() == named.getCanonicalDecl() || areUnlike(named, *other));
      });
}

} // namespace relayout::rewriter
