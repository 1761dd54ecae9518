// SPDX-License-Identifier: Apache-2.0
// Looks at an instance, its arguments, and the units that know it.
#include "rules/copy_obstacles.h"

#include "legality/template_arguments.h"
#include "rules/class_copies.h"
#include "rules/copied_text.h"
#include "rules/copy_names.h"
#include "rules/explicit_instantiations.h"
#include "rules/function_text.h"
#include "rules/kept_parameters.h"
#include "rules/method_copies.h"

#include <clang/AST/DeclTemplate.h>

#include <algorithm>

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::isa;

namespace {

bool isReadByOne(const Program &program, const FilePlace &place) {
  return std::ranges::count_if(program.definitions.files, [&](const auto &read) {
           return std::ranges::find(read, place.path.text()) != read.end();
         }) == 1;
}

std::string obstacleToArguments(const Program &program,
                                llvm::ArrayRef<clang::TemplateArgument> arguments) {
  for (const clang::TemplateArgument &argument : arguments) {
    // A template's own instance may get another name.
    if (const clang::FunctionDecl *function = functionNamed(argument);
        function && function->isTemplateInstantiation() && takesViews(program, *function))
      return "has an instance that takes or returns pointers to elements among its template "
             "arguments";
    if (argument.getKind() == clang::TemplateArgument::Pack)
      return "has a parameter pack";
  }
  return areWritten(arguments)
             ? ""
             : "has template arguments that are neither types nor numbers, and no plain functions "
               "or templates";
}

/// Its name is not one word in front of the declared name's.
bool isFunctionType(const clang::TemplateArgument &argument) {
  return argument.getKind() == clang::TemplateArgument::Type &&
         (argument.getAsType()->isFunctionPointerType() ||
          argument.getAsType().getNonReferenceType()->isFunctionType());
}

/// What stands against a copy that other units call, or do not know to be instead of an instance
/// that they call.
std::string obstacleToOtherUnits(const Program &program, const clang::FunctionDecl &instance) {
  if (program.isAlone)
    return {};
  if (isInstantiatedExplicitly(instance) &&
      (isa<clang::CXXMethodDecl>(instance) || explicitInstantiationsOf(program, instance).empty()))
    return "is instantiated explicitly, which other units may rely on";
  const clang::FunctionDecl &pattern = *instance.getTemplateInstantiationPattern();
  const bool isCalledElsewhere = !program.linked.declaredAlone(program, instance).empty();
  const std::optional<FilePlace> place = program.reader.place(pattern.getLocation());
  if (isCalledElsewhere &&
      (mayBeDefinedAgain(pattern) ||
       (pattern.doesThisDeclarationHaveABody() && !(place && isReadByOne(program, *place)))))
    return "is a template that another unit defines";
  return {};
}

std::string obstacleToFunctionCopy(const Program &program, const clang::FunctionDecl &instance) {
  const clang::FunctionDecl *pattern = instance.getTemplateInstantiationPattern();
  const clang::FunctionTemplateDecl *described =
      pattern ? pattern->getDescribedFunctionTemplate() : nullptr;
  const auto *method = dyn_cast<clang::CXXMethodDecl>(&instance);
  if (!described || (!method && !pattern->getDeclContext()->getRedeclContext()->isFileContext()))
    return "is no plain function template";
  if (std::string obstacle = method ? obstacleToMethodCopy(program, *method) : "";
      !obstacle.empty())
    return obstacle;
  // Its unit writes the copy, and this one declares it.
  if (isDeclaredAlone(instance) && (method || !program.linked.bodyOf(program, instance).program))
    return "is a template that another unit defines";
  if (std::string obstacle = obstacleToOtherUnits(program, instance); !obstacle.empty())
    return obstacle;
  const auto arguments = instance.getTemplateSpecializationArgs()->asArray();
  if (std::ranges::any_of(arguments, isFunctionType))
    return "has a function's type among its template arguments";
  if (std::string obstacle = obstacleToArguments(program, arguments); !obstacle.empty())
    return obstacle;
  if (std::string obstacle = obstacleToKeeping(program, instance); !obstacle.empty())
    return obstacle;
  if (instance.getReturnType()->getContainedAutoType())
    return "has a deduced return type";
  if (pattern->getTrailingRequiresClause())
    return "has a requires clause behind its parameters";
  return obstacleInside(*pattern);
}

} // namespace

std::string obstacleToCopy(const Program &program, const clang::NamedDecl &instance) {
  const auto *record = dyn_cast<clang::ClassTemplateSpecializationDecl>(&instance);
  if (record && program.targetOf(record))
    return "is a record that changes its layout";
  if (!record)
    return obstacleToFunctionCopy(program, clang::cast<clang::FunctionDecl>(instance));
  if (!unnamedThere(program, *record, record->getTemplateArgs().asArray()).empty())
    return "is instantiated for a type that only code behind it can name";
  const std::string obstacle = obstacleToArguments(program, record->getTemplateArgs().asArray());
  return obstacle.empty() ? obstacleToClassCopy(*record) : obstacle;
}

} // namespace relayout::rewriter
