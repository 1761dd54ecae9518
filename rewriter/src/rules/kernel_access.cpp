// SPDX-License-Identifier: Apache-2.0
// Reads and writes by device code, as the types of what it names say.
#include "rules/kernel_access.h"

#include "rules/declaration_checks.h"

#include <clang/AST/Attr.h>

namespace relayout::rewriter {
namespace {

/// A lambda's attributes need not be written.
bool isDeviceCode(const clang::FunctionDecl &function) {
  const auto *method = clang::dyn_cast<clang::CXXMethodDecl>(&function);
  return function.hasAttr<clang::CUDAGlobalAttr>() || function.hasAttr<clang::CUDADeviceAttr>() ||
         function.isConstexpr() || (method && method->getParent()->isLambda());
}

bool leadsToConst(clang::QualType type) {
  const clang::QualType pointee = heldPointer(type)->getPointeeType();
  return !pointee.isNull() && pointee.isConstQualified();
}

/// A kernel promises it for as long as it runs. What else device code declares or returns has its
/// value from there, as no pointer becomes one to const records.
bool isProtected(const clang::ValueDecl &declaration) {
  const auto *function = clang::dyn_cast<clang::FunctionDecl>(
      clang::isa<clang::FunctionDecl>(declaration) ? clang::Decl::castToDeclContext(&declaration)
                                                   : declaration.getDeclContext());
  if (!function || !isDeviceCode(*function))
    return false;
  return !function->hasAttr<clang::CUDAGlobalAttr>() ||
         !clang::isa<clang::ParmVarDecl>(declaration) ||
         declaration.getType().isRestrictQualified();
}

/// What an expression names: a variable, a field, or the function that it calls.
const clang::ValueDecl *namedBy(const clang::Expr *expression) {
  if (const auto *name = clang::dyn_cast<clang::DeclRefExpr>(expression))
    return name->getDecl();
  if (const auto *member = clang::dyn_cast<clang::MemberExpr>(expression))
    return member->getMemberDecl();
  const auto *call = clang::dyn_cast<clang::CallExpr>(expression);
  return call ? call->getDirectCallee() : nullptr;
}

clang::QualType typeOf(const clang::ValueDecl &declaration) {
  const auto *function = clang::dyn_cast<clang::FunctionDecl>(&declaration);
  return function ? function->getReturnType() : declaration.getType();
}

/// True where an expression becomes part of a pointer whose records are const and were not, or the
/// other way round.
bool changesConst(const Program &program, const clang::Expr *expression) {
  const clang::Expr *inner = expression;
  for (const clang::Stmt *around = program.index.parentOf(expression).stmt; around;
       around = program.index.parentOf(inner).stmt) {
    const auto *outer = clang::dyn_cast<clang::Expr>(around);
    if (!outer)
      return false;
    if (clang::isa<clang::CastExpr>(outer) && outer->getType()->isPointerType() &&
        inner->getType()->isPointerType() &&
        outer->getType()->getPointeeType().isConstQualified() !=
            inner->getType()->getPointeeType().isConstQualified())
      return true;
    inner = outer;
  }
  return false;
}

} // namespace

KernelAccess kernelAccess(const Program &program, const Target &target) {
  KernelAccess access;
  for (const Naming &naming : program.index.namings()) {
    if (naming.isDependent || !naming.function || !isDeviceCode(*naming.function))
      continue;
    const clang::ValueDecl *declaration = namedBy(naming.expression);
    if (!declaration || program.targetOf(declaration) != &target)
      continue;
    if (!leadsToConst(typeOf(*declaration)))
      access.hasWritable = true;
    else if (!isProtected(*declaration) && !isKeptReference(program, declaration))
      access.readsUnprotected = true;
    if (changesConst(program, naming.expression))
      access = {.hasWritable = true, .readsUnprotected = true};
  }
  return access;
}

} // namespace relayout::rewriter
