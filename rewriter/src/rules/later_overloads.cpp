// SPDX-License-Identifier: Apache-2.0
// Finds what the calls of a copy could mean besides what they meant.
#include "rules/later_overloads.h"

#include "rules/copied_text.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <algorithm>
#include <set>

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::isa;

namespace {

/// The functions and operators that an instance calls.
class CalledFunctions : public clang::DynamicRecursiveASTVisitor {
public:
  CalledFunctions() { ShouldVisitTemplateInstantiations = true; }

  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    if (const auto *function = dyn_cast<clang::FunctionDecl>(name->getDecl());
        function && !isa<clang::CXXMethodDecl>(function))
      found.insert(function);
    return true;
  }
  std::set<const clang::FunctionDecl *> found;
};

/// Whether a number is given where the other function takes an object.
bool takesOtherTypes(const clang::FunctionDecl &other, const clang::FunctionDecl &called) {
  for (unsigned i = 0; i < std::min(other.getNumParams(), called.getNumParams()); ++i) {
    const clang::QualType theirs = other.getParamDecl(i)->getType().getNonReferenceType();
    const clang::QualType own = called.getParamDecl(i)->getType().getNonReferenceType();
    const clang::CXXRecordDecl *record = theirs->getAsCXXRecordDecl();
    if (record && own->isArithmeticType() && record->hasDefinition() && record->isAggregate())
      return true;
  }
  return false;
}

/// Whether a call of one function might mean the other, were it declared in front.
bool maybeMeantBy(const clang::NamedDecl &other, const clang::FunctionDecl &called) {
  const clang::FunctionDecl *function = other.getUnderlyingDecl()->getAsFunction();
  const clang::FunctionTemplateDecl *made = called.getPrimaryTemplate();
  if (!function || function->getCanonicalDecl() == called.getCanonicalDecl() ||
      (made && made->getTemplatedDecl()->getCanonicalDecl() == function->getCanonicalDecl()))
    return false;
  const bool isOfAnyNumber = function->isVariadic() || function->isTemplated();
  return isOfAnyNumber || (!takesOtherTypes(*function, called) &&
                           function->getMinRequiredArguments() <= called.getNumParams() &&
                           called.getMinRequiredArguments() <= function->getNumParams());
}

} // namespace

const clang::FunctionDecl *calledWithLaterOverload(const Program &program,
                                                   const clang::NamedDecl &instance,
                                                   clang::SourceLocation place) {
  const clang::SourceManager &sources = program.unit.sources();
  const clang::NamedDecl &pattern = *patternOf(instance);
  const auto isBetween = [&](const clang::NamedDecl &declaration) {
    const clang::SourceLocation where = declaration.getCanonicalDecl()->getLocation();
    return sources.isBeforeInTranslationUnit(pattern.getEndLoc(), where) &&
           sources.isBeforeInTranslationUnit(where, place);
  };
  const auto isOverloadedIn = [&](const clang::DeclContext &scope,
                                  const clang::FunctionDecl &called) {
    return std::ranges::any_of(scope.lookup(called.getDeclName()),
                               [&](const clang::NamedDecl *other) {
                                 return isBetween(*other) && maybeMeantBy(*other, called);
                               });
  };
  CalledFunctions called;
  called.TraverseDecl(const_cast<clang::NamedDecl *>(&instance));
  for (const clang::FunctionDecl *function : called.found) {
    if (isOverloadedIn(*function->getDeclContext()->getRedeclContext(), *function))
      return function;
    for (const clang::DeclContext *scope = pattern.getDeclContext(); scope;
         scope = scope->getLookupParent())
      if (scope->isFileContext() && isOverloadedIn(*scope, *function))
        return function;
  }
  return nullptr;
}

} // namespace relayout::rewriter
