// SPDX-License-Identifier: Apache-2.0
// Reads types of pointers to functions as they are written.
#include "relayout/instrument/clang/function_pointers.h"

namespace relayout::instrument {

using clang::dyn_cast;

clang::FunctionProtoTypeLoc writtenFunction(clang::TypeLoc type) {
  while (type) {
    if (const auto function = type.getAs<clang::FunctionProtoTypeLoc>())
      return function;
    if (const auto name = type.getAs<clang::TypedefTypeLoc>()) {
      const clang::TypeSourceInfo *written = name.getDecl()->getTypeSourceInfo();
      type = written ? written->getTypeLoc() : clang::TypeLoc();
    } else if (type.getAs<clang::PointerTypeLoc>() || type.getAs<clang::ParenTypeLoc>() ||
               type.getAs<clang::ReferenceTypeLoc>() || type.getAs<clang::ArrayTypeLoc>() ||
               type.getAs<clang::QualifiedTypeLoc>()) {
      type = type.getNextTypeLoc();
    } else {
      return {};
    }
  }
  return {};
}

llvm::ArrayRef<clang::ParmVarDecl *> writtenParameters(clang::TypeLoc type) {
  const clang::FunctionProtoTypeLoc function = writtenFunction(type);
  return function ? function.getParams() : llvm::ArrayRef<clang::ParmVarDecl *>();
}

llvm::ArrayRef<clang::ParmVarDecl *> writtenParameters(const clang::ValueDecl &declared) {
  const auto *declarator = dyn_cast<clang::DeclaratorDecl>(&declared);
  if (!declarator || clang::isa<clang::FunctionDecl>(declarator) ||
      !declarator->getTypeSourceInfo())
    return {};
  return writtenParameters(declarator->getTypeSourceInfo()->getTypeLoc());
}

llvm::ArrayRef<clang::ParmVarDecl *> writtenParameters(const clang::Expr &pointer) {
  const clang::Expr *named = pointer.IgnoreParenImpCasts();
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(named))
    return writtenParameters(*name->getDecl());
  if (const auto *member = dyn_cast<clang::MemberExpr>(named))
    return writtenParameters(*member->getMemberDecl());
  if (const auto *element = dyn_cast<clang::ArraySubscriptExpr>(named))
    return writtenParameters(*element->getBase());
  if (const auto *behind = dyn_cast<clang::UnaryOperator>(named);
      behind && behind->getOpcode() == clang::UO_Deref)
    return writtenParameters(*behind->getSubExpr());
  return {};
}

} // namespace relayout::instrument
