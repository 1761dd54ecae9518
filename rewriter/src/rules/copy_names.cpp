// SPDX-License-Identifier: Apache-2.0
// Tells the names of template instances that are written out.
#include "rules/copy_names.h"

#include "legality/template_arguments.h"
#include "rules/copied_text.h"
#include "rules/kept_parameters.h"
#include "rules/told_by_arguments.h"
#include "rules/written_type.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/CharInfo.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;

/// True where the result alone says what the template is for, and becomes a view: calls tell the
/// copy by a name of its own.
bool isToldByResult(const Program &program, const clang::FunctionDecl &function) {
  return program.targetOf(&function) &&
         std::ranges::none_of(function.getTemplateInstantiationPattern()->parameters(),
                              [](const clang::ParmVarDecl *parameter) {
                                return parameter->getType()->isDependentType();
                              });
}

/// Whether copies of two instances of a template have the same parameters, and are not one copy.
bool areConfused(const Program &program, const clang::FunctionDecl &a,
                 const clang::FunctionDecl &b) {
  const std::set<unsigned> kept = parametersToKeep(program, a);
  if (kept.empty() || kept != parametersToKeep(program, b))
    return a.getType().getCanonicalType() == b.getType().getCanonicalType();
  const auto isKept = [&](const clang::ParmVarDecl *parameter) {
    return std::ranges::any_of(kept, [&](unsigned index) { return tells(*parameter, index); });
  };
  const clang::FunctionDecl &pattern = *a.getTemplateInstantiationPattern();
  for (unsigned i = 0; i < pattern.getNumParams(); ++i)
    if (!isKept(pattern.getParamDecl(i)) && a.getParamDecl(i)->getType().getCanonicalType() !=
                                                b.getParamDecl(i)->getType().getCanonicalType())
      return false;
  const auto ofA = a.getTemplateSpecializationArgs()->asArray();
  const auto ofB = b.getTemplateSpecializationArgs()->asArray();
  for (unsigned i = 0; i < ofA.size(); ++i)
    if (!kept.contains(i) && !ofA[i].structurallyEquals(ofB[i]))
      return true;
  return false;
}

/// No other copy has the same parameters.
bool isToldByParameters(const Program &asking, const clang::FunctionDecl &asked) {
  // A unit that calls it alone need not know the others.
  const LinkedFunction linked =
      isDeclaredAlone(asked) ? asking.linked.bodyOf(asking, asked) : LinkedFunction();
  const Program &program = *linked.programOr(&asking);
  const clang::FunctionDecl &function = linked.body ? *linked.body : asked;
  return std::ranges::none_of(program.copies, [&](const auto &copy) {
    const auto *other = dyn_cast<clang::FunctionDecl>(copy.first);
    return other && other != &function && patternOf(*other) == patternOf(function) &&
           areConfused(program, *other, function);
  });
}

/// `cudaLaunchKernel(step<Particle>, …)`, `auto how = step<Particle>;`: there, the template and a
/// function of its name would both be meant.
bool isPassedOnIn(const Program &program, const clang::FunctionDecl &function) {
  return std::ranges::any_of(program.index.namings(), [&](const Naming &naming) {
    const auto *name = dyn_cast<clang::DeclRefExpr>(naming.expression);
    return name && !naming.isDependent && name->getDecl() == &function &&
           name->hasExplicitTemplateArgs() && !callOf(program.index, *name);
  });
}

/// The units that call a copy, and the one that writes it, have one name for it.
bool isPassedOn(const Program &program, const clang::FunctionDecl &function) {
  std::vector<LinkedFunction> instances = program.linked.declaredAlone(program, function);
  if (!instances.empty())
    instances.push_back(program.linked.bodyOf(program, function));
  return isPassedOnIn(program, function) ||
         std::ranges::any_of(instances, [](const LinkedFunction &instance) {
           return instance.program && isPassedOnIn(*instance.program, *instance.body);
         });
}

/// What a template argument adds to a name: `_32`, `_m1`, `_kDrift`, `_float`, `_lib_half_float`.
std::string partOfName(const clang::TemplateArgument &argument, const clang::ASTContext &context) {
  const auto nameOf = [](const clang::NamedDecl &named) {
    std::string name = "_" + named.getQualifiedNameAsString();
    for (std::size_t at = 0; (at = name.find("::", at)) != std::string::npos;)
      name.replace(at, 2, "_");
    return name;
  };
  if (const clang::FunctionDecl *function = functionNamed(argument)) {
    std::string part = nameOf(*function);
    if (const clang::TemplateArgumentList *own = function->getTemplateSpecializationArgs())
      for (const clang::TemplateArgument &inner : own->asArray())
        part += partOfName(inner, context);
    return part;
  }
  if (argument.getKind() == clang::TemplateArgument::Template)
    return nameOf(*argument.getAsTemplate().getAsTemplateDecl());
  std::string text;
  if (argument.getKind() == clang::TemplateArgument::Integral) {
    text = llvm::toString(argument.getAsIntegral(), 10);
    if (const auto *type =
            dyn_cast_or_null<clang::EnumDecl>(argument.getIntegralType()->getAsTagDecl()))
      for (const clang::EnumConstantDecl *value : type->enumerators())
        if (llvm::APSInt::isSameValue(value->getInitVal(), argument.getAsIntegral()))
          text = value->getNameAsString();
  } else {
    text = spelledArgument(argument, context);
  }
  std::string part = "_";
  for (const char c : text)
    part += c == '-' ? 'm' : clang::isAsciiIdentifierContinue(c) ? c : '_';
  return part;
}

} // namespace

bool takesViews(const Program &program, const clang::FunctionDecl &function) {
  return program.targetOf(&function) ||
         std::ranges::any_of(function.parameters(), [&](const clang::ParmVarDecl *parameter) {
           return program.targetOf(parameter) != nullptr;
         });
}

bool keepsItsType(const Program &program, const clang::FunctionDecl &function) {
  return !takesViews(program, function);
}

bool needsOwnName(const Program &program, const clang::FunctionDecl &function) {
  return !keepsItsType(program, function) &&
         (isToldByResult(program, function) || !isToldByParameters(program, function) ||
          isPassedOn(program, function));
}

std::optional<std::string> ownNameOf(const Program &program, const clang::FunctionDecl &function) {
  const Target *target = program.targetOf(&function);
  for (const clang::ParmVarDecl *parameter : function.parameters())
    if (!target)
      target = program.targetOf(parameter);
  std::string name = function.getNameAsString();
  if (!isToldByParameters(program, function)) {
    const auto arguments = function.getTemplateSpecializationArgs()->asArray();
    const std::set<unsigned> kept = parametersToKeep(program, function);
    for (unsigned i = 0; i < arguments.size(); ++i)
      if (!kept.contains(i) && !(arguments[i].getKind() == clang::TemplateArgument::Type &&
                                 arguments[i].getAsType()->getAsCXXRecordDecl() == target->record))
        name += partOfName(arguments[i], program.unit.ast());
  }
  return nameForRecord(program, *target, name);
}

} // namespace relayout::rewriter
