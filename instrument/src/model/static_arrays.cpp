// SPDX-License-Identifier: Apache-2.0
// Recognises arrays of records in device memory by their declarations.
#include "relayout/instrument/clang/static_arrays.h"

#include "relayout/instrument/clang/scalar_records.h"

#include <clang/AST/APValue.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;

bool isZero(const clang::APValue &value) {
  switch (value.getKind()) {
  case clang::APValue::Int:
    return value.getInt().isZero();
  case clang::APValue::Float:
    return value.getFloat().isPosZero();
  case clang::APValue::LValue:
    return value.isNullPointer();
  case clang::APValue::Array: {
    for (unsigned i = 0; i < value.getArrayInitializedElts(); ++i)
      if (!isZero(value.getArrayInitializedElt(i)))
        return false;
    return !value.hasArrayFiller() || isZero(value.getArrayFiller());
  }
  case clang::APValue::Struct: {
    for (unsigned i = 0; i < value.getStructNumBases(); ++i)
      if (!isZero(value.getStructBase(i)))
        return false;
    for (unsigned i = 0; i < value.getStructNumFields(); ++i)
      if (!isZero(value.getStructField(i)))
        return false;
    return true;
  }
  default:
    return false;
  }
}

/// What leaves the variable's zeros as they are.
bool doesNothing(const clang::CXXConstructorDecl &constructor) {
  if (constructor.isTrivial())
    return true;
  const clang::FunctionDecl *definition = constructor.getDefinition();
  const auto *body =
      definition ? dyn_cast_or_null<clang::CompoundStmt>(definition->getBody()) : nullptr;
  return body && body->body_empty() &&
         std::ranges::all_of(
             cast<clang::CXXConstructorDecl>(definition)->inits(),
             [](const clang::CXXCtorInitializer *member) {
               const auto *made = dyn_cast<clang::CXXConstructExpr>(member->getInit());
               return !member->isWritten() && made && doesNothing(*made->getConstructor());
             });
}

bool startsAsZeros(const clang::VarDecl &variable) {
  const clang::Expr *initial = variable.getAnyInitializer();
  if (!initial)
    return true;
  if (initial->isValueDependent())
    return false;
  if (const auto *made = dyn_cast<clang::CXXConstructExpr>(initial->IgnoreImplicit()))
    return made->getNumArgs() == 0 && doesNothing(*made->getConstructor());
  const clang::VarDecl *with = variable.getInitializingDeclaration();
  const clang::APValue *value = with ? with->evaluateValue() : nullptr;
  return value && isZero(*value);
}

bool isInDeviceMemoryAlone(const clang::VarDecl &variable) {
  const bool isManaged =
      variable.hasAttr<clang::HIPManagedAttr>() ||
      std::ranges::any_of(variable.specific_attrs<clang::AnnotateAttr>(),
                          [](const auto *note) { return note->getAnnotation() == "managed"; });
  return variable.hasAttr<clang::CUDADeviceAttr>() && !isManaged &&
         !variable.hasAttr<clang::CUDAConstantAttr>() && !variable.hasAttr<clang::CUDASharedAttr>();
}

bool isArrayOfRecords(const clang::VarDecl &variable) {
  const clang::ConstantArrayType *array =
      variable.getASTContext().getAsConstantArrayType(variable.getType());
  const clang::TypeSourceInfo *written = variable.getTypeSourceInfo();
  if (!array || !written || !written->getTypeLoc().getAs<clang::ConstantArrayTypeLoc>())
    return false;
  const clang::QualType element = array->getElementType();
  const clang::CXXRecordDecl *record = element->getAsCXXRecordDecl();
  return record && !scalarRecordOf(element) && !element.isConstQualified() &&
         !element.isVolatileQualified();
}

} // namespace

bool isStaticDeviceArray(const clang::ValueDecl &declaration) {
  const auto *variable = dyn_cast<clang::VarDecl>(&declaration);
  if (!variable || !variable->isFileVarDecl() || variable->isStaticDataMember() ||
      variable->getDescribedVarTemplate() || isa<clang::VarTemplateSpecializationDecl>(variable))
    return false;
  return std::ranges::all_of(variable->redecls(),
                             [](const clang::VarDecl *one) {
                               return isInDeviceMemoryAlone(*one) && isArrayOfRecords(*one);
                             }) &&
         startsAsZeros(*variable);
}

std::uint64_t elementsOf(const clang::VarDecl &array) {
  const clang::ConstantArrayType *type =
      array.getASTContext().getAsConstantArrayType(array.getType());
  return type ? type->getSize().getZExtValue() : 0;
}

const clang::VarDecl *namedStaticArray(const clang::Expr *expression) {
  const auto *name = dyn_cast<clang::DeclRefExpr>(expression->IgnoreParenImpCasts());
  const auto *variable = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  return variable && isStaticDeviceArray(*variable) ? variable : nullptr;
}

} // namespace relayout::instrument
