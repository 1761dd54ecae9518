// SPDX-License-Identifier: Apache-2.0
// Reads the template arguments of std::unique_ptr, and the deleter's function.
#include "relayout/instrument/clang/pointer_owners.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::dyn_cast_or_null;

constexpr unsigned kOwned = 0, kDeleter = 1; // arguments of std::unique_ptr

bool isUniquePointer(const clang::ClassTemplateSpecializationDecl &instance) {
  return instance.getName() == "unique_ptr" && instance.isInStdNamespace() &&
         instance.getTemplateArgs().size() > kDeleter;
}

const clang::ParmVarDecl *ownedBy(const clang::ClassTemplateSpecializationDecl &instance) {
  if (!isUniquePointer(instance) || !hasOwnDeleter(instance))
    return nullptr;
  const clang::ASTContext &ast = instance.getASTContext();
  const clang::CXXRecordDecl *deleter = deleterOf(instance)->getAsCXXRecordDecl();
  if (!deleter || !(deleter = deleter->getDefinition()) || deleter->isLambda() ||
      deleter->getNumBases() != 0)
    return nullptr;
  const clang::QualType pointer = ast.getPointerType(ownedElement(instance));
  const clang::CXXMethodDecl *call = onlyCallOf(*deleter);
  const clang::TypedefNameDecl *named = pointerTypeOf(*deleter);
  if (!call || call->getNumParams() != 1 ||
      !ast.hasSameType(call->getParamDecl(0)->getType(), pointer) ||
      (named && !ast.hasSameType(named->getUnderlyingType(), pointer)))
    return nullptr;
  return call->getParamDecl(0);
}

const clang::ClassTemplateSpecializationDecl *instanceOf(const clang::FunctionDecl &function) {
  const auto *method = dyn_cast<clang::CXXMethodDecl>(&function);
  return method ? dyn_cast<clang::ClassTemplateSpecializationDecl>(method->getParent()) : nullptr;
}

/// `R *`, `R &`, and references to the former.
bool leadsTo(clang::QualType type, const clang::ParmVarDecl &owned) {
  const clang::ASTContext &ast = owned.getASTContext();
  const clang::QualType value = type.getNonReferenceType();
  const clang::QualType element = owned.getType()->getPointeeType();
  return ast.hasSameUnqualifiedType(value, owned.getType()) ||
         (type->isReferenceType() && ast.hasSameType(value, element));
}

} // namespace

bool hasOwnDeleter(const clang::ClassTemplateSpecializationDecl &instance) {
  if (!isUniquePointer(instance))
    return false;
  const clang::CXXRecordDecl *deleter = deleterOf(instance)->getAsCXXRecordDecl();
  return !deleter || deleter->getName() != "default_delete" || !deleter->isInStdNamespace();
}

const clang::TypedefNameDecl *pointerTypeOf(const clang::CXXRecordDecl &deleter) {
  for (const clang::NamedDecl *member :
       deleter.lookup(&deleter.getASTContext().Idents.get("pointer")))
    if (const auto *type = dyn_cast<clang::TypedefNameDecl>(member))
      return type;
  return nullptr;
}

const clang::ParmVarDecl *ownedPointer(clang::QualType type) {
  const auto *instance = type.isNull() ? nullptr
                                       : dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(
                                             type.getNonReferenceType()->getAsCXXRecordDecl());
  return instance ? ownedBy(*instance) : nullptr;
}

const clang::ParmVarDecl *ownedByObjectOf(const clang::FunctionDecl &function) {
  const clang::ClassTemplateSpecializationDecl *instance = instanceOf(function);
  return instance ? ownedBy(*instance) : nullptr;
}

const clang::ParmVarDecl *ownedThrough(const clang::ValueDecl &declaration) {
  const auto *parameter = dyn_cast<clang::ParmVarDecl>(&declaration);
  const auto *function = dyn_cast_or_null<clang::FunctionDecl>(
      parameter ? clang::Decl::castFromDeclContext(parameter->getDeclContext())
                : static_cast<const clang::Decl *>(&declaration));
  const clang::ParmVarDecl *owned = function ? ownedByObjectOf(*function) : nullptr;
  return owned && leadsTo(parameter ? parameter->getType() : function->getReturnType(), *owned)
             ? owned
             : nullptr;
}

std::vector<const clang::ClassTemplateSpecializationDecl *> ownersIn(const clang::ASTContext &ast) {
  std::vector<const clang::ClassTemplateSpecializationDecl *> all;
  for (const clang::NamedDecl *space :
       ast.getTranslationUnitDecl()->lookup(&ast.Idents.get("std"))) {
    const auto *standard = dyn_cast<clang::NamespaceDecl>(space);
    if (!standard)
      continue;
    for (const clang::NamedDecl *named : standard->lookup(&ast.Idents.get("unique_ptr")))
      if (const auto *owner = dyn_cast<clang::ClassTemplateDecl>(named))
        for (const clang::ClassTemplateSpecializationDecl *instance : owner->specializations())
          if (hasOwnDeleter(*instance))
            all.push_back(instance);
  }
  return all;
}

std::vector<const clang::ParmVarDecl *> ownedPointers(const clang::ASTContext &ast) {
  std::vector<const clang::ParmVarDecl *> all;
  for (const clang::ClassTemplateSpecializationDecl *instance : ownersIn(ast))
    if (const clang::ParmVarDecl *owned = ownedBy(*instance))
      all.push_back(owned);
  return all;
}

clang::QualType ownedElement(const clang::ClassTemplateSpecializationDecl &uniquePointer) {
  const clang::QualType owned = uniquePointer.getTemplateArgs()[kOwned].getAsType();
  const clang::ArrayType *array = uniquePointer.getASTContext().getAsArrayType(owned);
  return array ? array->getElementType() : owned;
}

clang::QualType deleterOf(const clang::ClassTemplateSpecializationDecl &uniquePointer) {
  return uniquePointer.getTemplateArgs()[kDeleter].getAsType();
}

const clang::CXXMethodDecl *onlyCallOf(const clang::CXXRecordDecl &deleter) {
  const clang::CXXMethodDecl *only = nullptr;
  const clang::DeclarationName call =
      deleter.getASTContext().DeclarationNames.getCXXOperatorName(clang::OO_Call);
  for (const clang::NamedDecl *member : deleter.lookup(call)) {
    const auto *method = dyn_cast<clang::CXXMethodDecl>(member);
    if (!method || only)
      return nullptr;
    only = method;
  }
  return only;
}

} // namespace relayout::instrument
