// SPDX-License-Identifier: Apache-2.0
// Reads the arguments of std::span and of the templates around it.
#include "model/span_types.h"

#include <clang/AST/DeclTemplate.h>

#include <algorithm>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;

const clang::NamespaceDecl *namespaceOf(const clang::Decl &declaration) {
  const clang::DeclContext *scope = declaration.getDeclContext();
  while (scope && scope->isInlineNamespace())
    scope = scope->getParent();
  return dyn_cast_or_null<clang::NamespaceDecl>(scope);
}

bool isOfCuda(const clang::NamedDecl &named) {
  const clang::NamespaceDecl *standard = namespaceOf(named);
  return standard && namespaceOf(*standard);
}

bool hasConstantExtent(const clang::TemplateArgumentList &arguments) {
  return arguments.size() > 1 && arguments[1].getKind() == clang::TemplateArgument::Integral &&
         !arguments[1].getAsIntegral().isAllOnes();
}

void addSpansIn(const clang::DeclContext &standard, const clang::ASTContext &ast,
                std::vector<const clang::CXXRecordDecl *> &records) {
  for (const clang::NamedDecl *named : standard.lookup(&ast.Idents.get("span")))
    if (const auto *span = dyn_cast<clang::ClassTemplateDecl>(named); span && isSpanTemplate(*span))
      for (const clang::ClassTemplateSpecializationDecl *instance : span->specializations()) {
        const clang::TemplateArgument &argument = instance->getTemplateArgs()[0];
        const clang::CXXRecordDecl *element = argument.getKind() == clang::TemplateArgument::Type
                                                  ? argument.getAsType()->getAsCXXRecordDecl()
                                                  : nullptr;
        element = element ? element->getDefinition() : nullptr;
        if (element && std::ranges::find(records, element) == records.end())
          records.push_back(element);
      }
}

} // namespace

bool isSpanTemplate(const clang::NamedDecl &named) {
  const clang::NamespaceDecl *standard = namespaceOf(named);
  if (!named.getIdentifier() || named.getName() != "span" || !standard ||
      standard->getName() != "std")
    return false;
  const clang::NamespaceDecl *around = namespaceOf(*standard);
  return !around || (around->getName() == "cuda" && !namespaceOf(*around));
}

std::optional<SpanType> spanTypeOf(clang::QualType type) {
  const auto *instance = type.isNull() ? nullptr
                                       : dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(
                                             type.getNonReferenceType()->getAsCXXRecordDecl());
  if (!instance || !isSpanTemplate(*instance->getSpecializedTemplate()))
    return std::nullopt;
  const clang::QualType element = instance->getTemplateArgs()[0].getAsType();
  const clang::CXXRecordDecl *record = element->getAsCXXRecordDecl();
  if (!record || !record->getDefinition() || element.isVolatileQualified())
    return std::nullopt;
  return SpanType{record->getDefinition(), element.isConstQualified(),
                  hasConstantExtent(instance->getTemplateArgs()), isOfCuda(*instance)};
}

bool holdsSpans(clang::QualType type, const clang::CXXRecordDecl &element) {
  if (type.isNull())
    return false;
  type = type.getNonReferenceType();
  while (type->isPointerType() || type->isArrayType())
    type = type->isPointerType() ? type->getPointeeType()
                                 : type->getAsArrayTypeUnsafe()->getElementType();
  if (const std::optional<SpanType> span = spanTypeOf(type))
    return span->element == &element;
  const auto *instance =
      dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  return instance &&
         std::ranges::any_of(instance->getTemplateArgs().asArray(), [&](const auto &argument) {
           return argument.getKind() == clang::TemplateArgument::Type &&
                  holdsSpans(argument.getAsType(), element);
         });
}

std::vector<const clang::CXXRecordDecl *> recordsInSpans(const clang::ASTContext &ast) {
  std::vector<const clang::CXXRecordDecl *> records;
  const auto lookUp = [&](const clang::DeclContext &scope, const char *name) {
    std::vector<const clang::NamespaceDecl *> found;
    for (const clang::NamedDecl *named : scope.lookup(&ast.Idents.get(name)))
      if (const auto *space = dyn_cast<clang::NamespaceDecl>(named))
        found.push_back(space);
    return found;
  };
  const clang::TranslationUnitDecl &all = *ast.getTranslationUnitDecl();
  for (const clang::NamespaceDecl *standard : lookUp(all, "std"))
    addSpansIn(*standard, ast, records);
  for (const clang::NamespaceDecl *cuda : lookUp(all, "cuda"))
    for (const clang::NamespaceDecl *standard : lookUp(*cuda, "std"))
      addSpansIn(*standard, ast, records);
  return records;
}

} // namespace relayout::instrument
