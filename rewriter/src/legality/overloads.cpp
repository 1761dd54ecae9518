// SPDX-License-Identifier: Apache-2.0
// Compares the parameters of functions.
#include "legality/overloads.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast_or_null;

bool isOfFunction(clang::QualType type) {
  return (type->isPointerType() ? type->getPointeeType() : type)->isFunctionType();
}

/// Of one argument, explicit or not.
bool isMadeOfOthers(const clang::CXXRecordDecl &record) {
  return std::ranges::any_of(record.decls(), [](const clang::Decl *member) {
    const auto *made = dyn_cast_or_null<clang::CXXConstructorDecl>(member->getAsFunction());
    return made && !made->isCopyOrMoveConstructor() && made->getNumParams() > 0 &&
           made->getMinRequiredArguments() <= 1;
  });
}

bool haveParametersApart(const clang::FunctionDecl &one, const clang::FunctionDecl &other) {
  for (unsigned i = 0; i < std::min(one.getNumParams(), other.getNumParams()); ++i) {
    const clang::ParmVarDecl *first = one.getParamDecl(i), *second = other.getParamDecl(i);
    if (first->isParameterPack() || second->isParameterPack())
      return false;
    if (areApart(first->getType(), second->getType()))
      return true;
  }
  return false;
}

} // namespace

bool areApart(clang::QualType a, clang::QualType b) {
  a = a.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  b = b.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  const auto mayBeAny = [](clang::QualType type) {
    return type->isDependentType() && !isOfFunction(type);
  };
  if (a == b || mayBeAny(a) || mayBeAny(b))
    return false;
  const clang::CXXRecordDecl *const records[] = {a->getAsCXXRecordDecl(), b->getAsCXXRecordDecl()};
  for (const clang::CXXRecordDecl *record : records)
    if (record &&
        (!record->hasDefinition() || isMadeOfOthers(*record) || record->getNumBases() != 0 ||
         record->getVisibleConversionFunctions().begin() !=
             record->getVisibleConversionFunctions().end()))
      return false;
  if (records[0] || records[1])
    return true;
  const auto plainPointee = [](clang::QualType type) {
    return type->isPointerType() && !type->isVoidPointerType() && !type->isDependentType() &&
                   !type->getPointeeType()->isRecordType()
               ? type->getPointeeType().getUnqualifiedType()
               : clang::QualType();
  };
  return !plainPointee(a).isNull() && !plainPointee(b).isNull() &&
         plainPointee(a) != plainPointee(b);
}

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
        return other && (other->getCanonicalDecl() == named.getCanonicalDecl() ||
                         haveParametersApart(named, *other));
      });
}

} // namespace relayout::rewriter
