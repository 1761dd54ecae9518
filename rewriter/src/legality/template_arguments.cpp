// SPDX-License-Identifier: Apache-2.0
// Spells template arguments, and asks where their types are defined.
#include "legality/template_arguments.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/QualTypeNames.h>
#include <clang/Basic/SourceManager.h>

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;

std::string obstacleToArguments(const clang::ClassTemplateSpecializationDecl &instance,
                                clang::SourceLocation place);

/// A class of a namespace, with an end that the header can follow.
bool mayPrecedeHeader(const clang::TagDecl &tag) {
  const auto *record = dyn_cast<clang::CXXRecordDecl>(&tag);
  return record && record->isThisDeclarationADefinition() &&
         record->getDeclContext()->isFileContext() &&
         record->getTemplateSpecializationKind() == clang::TSK_Undeclared &&
         record->getBraceRange().getEnd().isFileID();
}

/// Why a type cannot be named behind `place`: of `Vec<Real>`, Vec and Real have to be known.
std::string obstacleToType(clang::QualType type, clang::SourceLocation place,
                           const clang::SourceManager &sources) {
  const clang::TagDecl *tag = type->getAsTagDecl();
  if (!tag)
    return type->isBuiltinType() ? std::string() : "is instantiated for a type without a name";
  if (tag->getName().empty() || tag->getParentFunctionOrMethod())
    return "is instantiated for a type that only a function can name";
  if (sources.isBeforeInTranslationUnit(place, tag->getLocation()) && !mayPrecedeHeader(*tag))
    return fmt::format("is instantiated for '{}', which is defined behind it",
                       tag->getNameAsString());
  const auto *instance = dyn_cast<clang::ClassTemplateSpecializationDecl>(tag);
  return instance ? obstacleToArguments(*instance, place) : std::string();
}

std::string obstacleToArguments(const clang::ClassTemplateSpecializationDecl &instance,
                                clang::SourceLocation place) {
  const auto arguments = instance.getTemplateArgs().asArray();
  if (!areSpelled(arguments))
    return "has template arguments that are neither types nor numbers";
  for (const clang::TemplateArgument &argument : arguments)
    if (argument.getKind() == clang::TemplateArgument::Type)
      if (std::string obstacle = obstacleToType(argument.getAsType(), place,
                                                instance.getASTContext().getSourceManager());
          !obstacle.empty())
        return obstacle;
  return {};
}

/// No other function or template of a namespace has its name.
bool isNamedAlone(const clang::NamedDecl &declaration) {
  const clang::DeclContext *scope = declaration.getDeclContext()->getRedeclContext();
  if (!scope->isFileContext() || !declaration.getDeclName().isIdentifier() ||
      declaration.isInAnonymousNamespace())
    return false;
  const auto found = scope->lookup(declaration.getDeclName());
  return found.isSingleResult() &&
         found.front()->getCanonicalDecl() == declaration.getCanonicalDecl();
}

/// A function's template, or itself.
const clang::NamedDecl &nameGiver(const clang::FunctionDecl &function) {
  const clang::FunctionTemplateDecl *primary = function.getPrimaryTemplate();
  return primary ? static_cast<const clang::NamedDecl &>(*primary) : function;
}

/// Nothing between the template and its use hides the name, nor do arguments add overloads.
std::string nameFromOutermost(const clang::NamedDecl &declaration) {
  return "::" + declaration.getQualifiedNameAsString();
}

/// A literal of that type, which code may compute with; empty where the type has none.
std::string literalOf(const llvm::APSInt &value, clang::QualType type) {
  const auto *builtin = type->getAs<clang::BuiltinType>();
  const auto kind = builtin ? builtin->getKind() : clang::BuiltinType::Void;
  std::string suffix;
  switch (kind) {
  case clang::BuiltinType::Bool:
    return value.isZero() ? "false" : "true";
  case clang::BuiltinType::Int:
    break;
  case clang::BuiltinType::UInt:
    suffix = "u";
    break;
  case clang::BuiltinType::Long:
    suffix = "l";
    break;
  case clang::BuiltinType::ULong:
    suffix = "ul";
    break;
  case clang::BuiltinType::LongLong:
    suffix = "ll";
    break;
  case clang::BuiltinType::ULongLong:
    suffix = "ull";
    break;
  default:
    return {};
  }
  if (!value.isNegative())
    return llvm::toString(value, 10) + suffix;
  if (!value.isMinSignedValue())
    return fmt::format("({}{})", llvm::toString(value, 10), suffix);
  llvm::APSInt next = value;
  ++next; // the least has no literal
  return fmt::format("({}{} - 1)", llvm::toString(next, 10), suffix);
}

bool isWritten(const clang::TemplateArgument &argument) {
  if (const clang::FunctionDecl *function = functionNamed(argument))
    return !clang::isa<clang::CXXMethodDecl>(function) && isNamedAlone(nameGiver(*function)) &&
           (!function->getTemplateSpecializationArgs() ||
            areWritten(function->getTemplateSpecializationArgs()->asArray()));
  if (argument.getKind() == clang::TemplateArgument::Template) {
    const auto *named =
        dyn_cast_or_null<clang::ClassTemplateDecl>(argument.getAsTemplate().getAsTemplateDecl());
    return named && isNamedAlone(*named);
  }
  return areSpelled(argument);
}

} // namespace

const clang::FunctionDecl *functionNamed(const clang::TemplateArgument &argument) {
  return argument.getKind() == clang::TemplateArgument::Declaration
             ? dyn_cast<clang::FunctionDecl>(argument.getAsDecl())
             : nullptr;
}

bool isNamedBehind(clang::QualType type, clang::SourceLocation place,
                   const clang::ASTContext &context) {
  type = type.getNonReferenceType();
  while (type->isPointerType() || type->isArrayType())
    type = type->isPointerType() ? type->getPointeeType()
                                 : clang::QualType(type->getArrayElementTypeNoTypeQual(), 0);
  const clang::TagDecl *tag = type->getAsTagDecl();
  if (!tag)
    return true;
  const auto *instance = dyn_cast<clang::ClassTemplateSpecializationDecl>(tag);
  const clang::TagDecl *definition = tag->getDefinition();
  const clang::SourceLocation declared = instance
                                             ? instance->getSpecializedTemplate()->getLocation()
                                         : definition ? definition->getLocation()
                                                      : tag->getLocation();
  if (tag->getParentFunctionOrMethod() ||
      (tag->getName().empty() && !tag->getTypedefNameForAnonDecl()) ||
      context.getSourceManager().isBeforeInTranslationUnit(place, declared))
    return false;
  return !instance ||
         std::ranges::all_of(instance->getTemplateArgs().asArray(),
                             [&](const clang::TemplateArgument &argument) {
                               return argument.getKind() != clang::TemplateArgument::Type ||
                                      isNamedBehind(argument.getAsType(), place, context);
                             });
}

bool areWritten(llvm::ArrayRef<clang::TemplateArgument> arguments) {
  return std::ranges::all_of(arguments, isWritten);
}

bool areSpelled(llvm::ArrayRef<clang::TemplateArgument> arguments) {
  return std::ranges::all_of(arguments, [](const clang::TemplateArgument &argument) {
    return argument.getKind() == clang::TemplateArgument::Type ||
           argument.getKind() == clang::TemplateArgument::Integral;
  });
}

std::string spelledArgument(const clang::TemplateArgument &argument,
                            const clang::ASTContext &context) {
  clang::PrintingPolicy policy(context.getLangOpts());
  policy.SuppressTagKeyword = true;
  policy.SuppressUnwrittenScope = true;
  policy.Bool = true;
  const auto named = [&](clang::QualType type) {
    return clang::TypeName::getFullyQualifiedName(type, context, policy);
  };
  if (const clang::FunctionDecl *function = functionNamed(argument)) {
    const clang::TemplateArgumentList *own = function->getTemplateSpecializationArgs();
    return nameFromOutermost(*function) + (own ? spelledList(own->asArray(), context) : "");
  }
  if (argument.getKind() == clang::TemplateArgument::Template)
    return nameFromOutermost(*argument.getAsTemplate().getAsTemplateDecl());
  if (argument.getKind() != clang::TemplateArgument::Integral)
    return named(argument.getAsType());
  std::string number = llvm::toString(argument.getAsIntegral(), 10);
  const clang::QualType type = argument.getIntegralType();
  return type->isEnumeralType() ? fmt::format("static_cast<{}>({})", named(type), number) : number;
}

std::string spelledValue(const clang::TemplateArgument &argument,
                         const clang::ASTContext &context) {
  if (argument.getKind() != clang::TemplateArgument::Integral)
    return spelledArgument(argument, context);
  const clang::QualType type = argument.getIntegralType();
  if (type->isEnumeralType())
    return spelledArgument(argument, context);
  const std::string literal = literalOf(argument.getAsIntegral(), type);
  return !literal.empty() ? literal
                          : fmt::format("static_cast<{}>({})",
                                        spelledArgument(clang::TemplateArgument(type), context),
                                        llvm::toString(argument.getAsIntegral(), 10));
}

std::string spelledList(llvm::ArrayRef<clang::TemplateArgument> arguments,
                        const clang::ASTContext &context) {
  std::string list;
  for (const clang::TemplateArgument &argument : arguments)
    list += (list.empty() ? "" : ", ") + spelledArgument(argument, context);
  return "<" + list + ">";
}

const clang::CXXRecordDecl &definedBeforeHeader(const clang::CXXRecordDecl &record) {
  const auto *instance = dyn_cast<clang::ClassTemplateSpecializationDecl>(&record);
  const clang::CXXRecordDecl *last = &record;
  if (!instance)
    return *last;
  const clang::SourceManager &sources = record.getASTContext().getSourceManager();
  for (const clang::TemplateArgument &argument : instance->getTemplateArgs().asArray()) {
    const clang::CXXRecordDecl *named = argument.getKind() == clang::TemplateArgument::Type
                                            ? argument.getAsType()->getAsCXXRecordDecl()
                                            : nullptr;
    if (!named || !named->getDefinition())
      continue;
    const clang::CXXRecordDecl &own = definedBeforeHeader(*named->getDefinition());
    if (mayPrecedeHeader(own) && sources.isBeforeInTranslationUnit(last->getBraceRange().getEnd(),
                                                                   own.getBraceRange().getEnd()))
      last = &own;
  }
  return *last;
}

std::string obstacleToInstance(const clang::ClassTemplateSpecializationDecl &instance) {
  return obstacleToArguments(instance, instance.getBraceRange().getEnd());
}

} // namespace relayout::rewriter
