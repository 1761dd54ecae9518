// SPDX-License-Identifier: Apache-2.0
// Finds the template arguments that a copy cannot name.
#include "rules/kept_parameters.h"

#include "legality/template_arguments.h"
#include "rules/copied_text.h"
#include "rules/copy_names.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::dyn_cast_or_null;
using clang::isa;

namespace {

/// Moves a place behind the records, among template arguments, whose views a copy names.
void moveBehindRecords(const Program &program, llvm::ArrayRef<clang::TemplateArgument> arguments,
                       clang::SourceLocation &place) {
  for (const clang::TemplateArgument &argument : arguments) {
    if (argument.getKind() != clang::TemplateArgument::Type)
      continue;
    const clang::Type *type = argument.getAsType().getNonReferenceType().getTypePtr();
    while (type->isPointerType() || type->isArrayType())
      type = type->getPointeeOrArrayElementType();
    const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
    for (const auto &[group, target] : program.targets)
      if (const clang::SourceLocation end =
              definedBeforeHeader(*target->record).getBraceRange().getEnd();
          record && record->Encloses(target->record) && // a trait may name a record inside
          program.unit.sources().isBeforeInTranslationUnit(place, end))
        place = end;
    if (const auto *made = dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(record))
      moveBehindRecords(program, made->getTemplateArgs().asArray(), place);
  }
}

const clang::TemplateTypeParmDecl *typeParameter(const clang::FunctionDecl &instance, unsigned i) {
  return dyn_cast<clang::TemplateTypeParmDecl>(
      parametersOf(*instance.getTemplateInstantiationPattern()).getParam(i));
}

} // namespace

std::set<unsigned> unnamedThere(const Program &program, const clang::NamedDecl &instance,
                                llvm::ArrayRef<clang::TemplateArgument> arguments) {
  clang::SourceLocation place = patternOf(instance)->getEndLoc();
  moveBehindRecords(program, arguments, place);
  std::set<unsigned> unnamed;
  for (unsigned i = 0; i < arguments.size(); ++i) {
    const clang::TemplateArgument::ArgKind kind = arguments[i].getKind();
    const clang::QualType type = kind == clang::TemplateArgument::Type ? arguments[i].getAsType()
                                 : kind == clang::TemplateArgument::Integral
                                     ? arguments[i].getIntegralType()
                                     : clang::QualType();
    if (!type.isNull() && !isNamedBehind(type, place, program.unit.ast()))
      unnamed.insert(i);
  }
  return unnamed;
}

std::set<unsigned> parametersToKeep(const Program &program, const clang::FunctionDecl &instance) {
  const clang::TemplateArgumentList *arguments = instance.getTemplateSpecializationArgs();
  return arguments ? unnamedThere(program, instance, arguments->asArray()) : std::set<unsigned>();
}

bool tells(const clang::ParmVarDecl &parameter, unsigned index) {
  const auto *type =
      parameter.getType().getNonReferenceType()->getAs<clang::TemplateTypeParmType>();
  return type && type->getIndex() == index;
}

std::string obstacleToKeeping(const Program &program, const clang::FunctionDecl &instance) {
  const std::set<unsigned> kept = parametersToKeep(program, instance);
  if (kept.empty())
    return {};
  const clang::FunctionDecl &pattern = *instance.getTemplateInstantiationPattern();
  const auto isDeduced = [&](unsigned i) {
    return std::ranges::any_of(pattern.parameters(), [&](const clang::ParmVarDecl *parameter) {
      return tells(*parameter, i);
    });
  };
  const bool isPossible =
      !isa<clang::CXXMethodDecl>(instance) && takesViews(program, instance) &&
      !isDeclaredAlone(instance) && !hasConstantBranches(pattern) &&
      !parametersOf(pattern).getRequiresClause() && std::ranges::all_of(kept, [&](unsigned i) {
        const clang::TemplateTypeParmDecl *parameter = typeParameter(instance, i);
        return parameter && !parameter->getName().empty() && !parameter->hasTypeConstraint() &&
               !parameter->isParameterPack() && isDeduced(i);
      });
  return isPossible ? "" : "is instantiated for a type that only code behind it can name";
}

std::string spelledParameters(const clang::FunctionDecl &instance, const std::set<unsigned> &kept) {
  std::string list;
  for (const unsigned i : kept) {
    const clang::TemplateTypeParmDecl &parameter = *typeParameter(instance, i);
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ",
                        parameter.wasDeclaredWithTypename() ? "typename" : "class",
                        parameter.getNameAsString());
  }
  return list;
}

} // namespace relayout::rewriter
