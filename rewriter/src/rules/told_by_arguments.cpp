// SPDX-License-Identifier: Apache-2.0
// Compares the types of arguments with those that a template's parameters ask for.
#include "rules/told_by_arguments.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>

#include <algorithm>
#include <set>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;

/// Whether a template's parameter becomes the instance's by what it is given.
bool isDeduced(clang::QualType pattern, clang::QualType instance, clang::QualType given) {
  const bool isPointer = pattern->isPointerType();
  const bool leadsElsewhere = pattern->isReferenceType() || isPointer;
  if (isPointer && (!instance->isPointerType() || !given->isPointerType()))
    return false;
  if (leadsElsewhere) {
    pattern = pattern->getPointeeType();
    instance = instance->getPointeeType();
    given = isPointer ? given->getPointeeType() : given;
  }
  const bool addsConst = !leadsElsewhere || pattern.isConstQualified();
  instance = instance.getCanonicalType();
  given = given.getCanonicalType();
  return addsConst ? instance.getUnqualifiedType() == given.getUnqualifiedType()
                   : instance == given;
}

/// Adds the template parameters that a function's parameter of this type tells.
void addTold(clang::QualType type, std::set<const clang::NamedDecl *> &told) {
  if (type->isPointerType() || type->isReferenceType())
    return addTold(type->getPointeeType(), told);
  if (const auto *parameter = type->getAs<clang::TemplateTypeParmType>())
    told.insert(parameter->getDecl());
  const auto *instance = type->getAs<clang::TemplateSpecializationType>();
  const clang::TemplateDecl *of = instance && !instance->isTypeAlias()
                                      ? instance->getTemplateName().getAsTemplateDecl()
                                      : nullptr;
  if (!of)
    return;
  const auto arguments = instance->template_arguments();
  for (unsigned i = 0; i < arguments.size() && i < of->getTemplateParameters()->size(); ++i) {
    const auto *taken =
        dyn_cast<clang::NonTypeTemplateParmDecl>(of->getTemplateParameters()->getParam(i));
    if (arguments[i].getKind() == clang::TemplateArgument::Type)
      addTold(arguments[i].getAsType(), told);
    else if (const auto *value =
                 taken && arguments[i].getKind() == clang::TemplateArgument::Expression
                     ? dyn_cast<clang::DeclRefExpr>(arguments[i].getAsExpr())
                     : nullptr;
             value &&
             taken->getASTContext().hasSameUnqualifiedType(value->getType(), taken->getType()))
      told.insert(value->getDecl());
  }
}

/// True where the parameters that a call has arguments for tell all template parameters.
bool tellsAll(const clang::FunctionDecl &pattern, const clang::CallExpr &call) {
  std::set<const clang::NamedDecl *> told;
  for (unsigned i = 0; i < pattern.getNumParams() && i < call.getNumArgs(); ++i)
    addTold(pattern.getParamDecl(i)->getType(), told);
  return std::ranges::all_of(
      *pattern.getDescribedFunctionTemplate()->getTemplateParameters(),
      [&](const clang::NamedDecl *parameter) { return told.contains(parameter); });
}

} // namespace

std::optional<FunctionName> functionNameOf(const clang::Expr &expression) {
  const auto read = [](const auto &name, const clang::ValueDecl &named,
                       clang::SourceLocation place) {
    const auto *function = dyn_cast<clang::FunctionDecl>(&named);
    return function ? std::optional(FunctionName{function, place, name.getTemplateKeywordLoc(),
                                                 name.getLAngleLoc(), name.getRAngleLoc()})
                    : std::nullopt;
  };
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(&expression))
    return read(*name, *name->getDecl(), name->getLocation());
  if (const auto *member = dyn_cast<clang::MemberExpr>(&expression))
    return read(*member, *member->getMemberDecl(), member->getMemberLoc());
  return std::nullopt;
}

const clang::CallExpr *callOf(const ParentIndex &index, const clang::Expr &name) {
  const clang::Stmt *current = &name;
  const clang::Stmt *parent = index.parentOf(current).stmt;
  while (isa_and_nonnull<clang::ImplicitCastExpr, clang::ParenExpr>(parent)) {
    current = parent;
    parent = index.parentOf(current).stmt;
  }
  const auto *call = dyn_cast_or_null<clang::CallExpr>(parent);
  return call && call->getCallee() == current ? call : nullptr;
}

bool isToldByArguments(const Program &program, const clang::FunctionDecl &function,
                       const clang::CallExpr &call) {
  const clang::FunctionDecl &pattern = *function.getTemplateInstantiationPattern();
  const auto known = pattern.getDeclContext()->getRedeclContext()->lookup(pattern.getDeclName());
  if (std::distance(known.begin(), known.end()) != 1)
    return false;
  for (unsigned i = 0; i < function.getNumParams() && i < call.getNumArgs(); ++i) {
    const clang::QualType type = call.getArg(i)->IgnoreUnlessSpelledInSource()->getType();
    const clang::QualType given =
        type->isArrayType() && !pattern.getParamDecl(i)->getType()->isReferenceType()
            ? program.unit.ast().getArrayDecayedType(type)
            : type;
    const clang::QualType written = pattern.getParamDecl(i)->getType();
    if (written->isDependentType() &&
        !isDeduced(written, function.getParamDecl(i)->getType(), given))
      return false;
  }
  return true;
}

bool isToldInEachInstance(const Program &program, const FunctionName &name) {
  return program.isAlone && std::ranges::all_of(program.index.namings(), [&](const Naming &naming) {
           const std::optional<FunctionName> other =
               naming.isDependent ? std::nullopt : functionNameOf(*naming.expression);
           if (!other || other->place != name.place)
             return true;
           const clang::FunctionDecl *pattern = other->function->getTemplateInstantiationPattern();
           const clang::CallExpr *call = callOf(program.index, *naming.expression);
           return pattern && pattern->getDescribedFunctionTemplate() && call &&
                  tellsAll(*pattern, *call) && isToldByArguments(program, *other->function, *call);
         });
}

} // namespace relayout::rewriter
