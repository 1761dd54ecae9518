// SPDX-License-Identifier: Apache-2.0
// Whether two expressions may change places.
#include "legality/evaluation_order.h"

#include "legality/element_effects.h"
#include "legality/empty_destructors.h"
#include "legality/library_functions.h"
#include "legality/memory_apart.h"
#include "relayout/base/cuda_calls.h"

#include <clang/AST/ASTContext.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;
using clang::isa;

/// threadIdx.x and the other built-in variables.
bool isBuiltinVariable(const clang::Stmt &expression) {
  const auto *object = dyn_cast<clang::PseudoObjectExpr>(&expression);
  return object && isa<clang::MSPropertyRefExpr>(object->getSyntacticForm()) &&
         object->getResultExpr();
}

/// What is evaluated where the expression stands: of a default argument, what it is declared with.
const clang::Stmt *evaluated(const clang::Stmt *expression) {
  const auto *given = dyn_cast_or_null<clang::CXXDefaultArgExpr>(expression);
  return given ? given->getExpr() : expression;
}

/// What only passes on what its operands compute.
bool isPlainOperation(const Program &program, const clang::Expr &expression) {
  if (const auto *call = dyn_cast<clang::CallExpr>(&expression))
    return call->getDirectCallee() && !isa<clang::CUDAKernelCallExpr>(call) &&
           (isAccessor(*call->getDirectCallee()) ||
            onlyComputes(program, *call->getDirectCallee()));
  if (const auto *construction = dyn_cast<clang::CXXConstructExpr>(&expression))
    return onlyInitialises(program, *construction->getConstructor()) &&
           destroysNothing(program, construction->getType());
  if (const auto *binary = dyn_cast<clang::BinaryOperator>(&expression))
    return !binary->isAssignmentOp();
  if (const auto *unary = dyn_cast<clang::UnaryOperator>(&expression))
    return !unary->isIncrementDecrementOp();
  if (const auto *conversion = dyn_cast<clang::CastExpr>(&expression))
    return !conversion->getSubExpr()->getType().isVolatileQualified();
  return isa<clang::ParenExpr, clang::ConditionalOperator, clang::MemberExpr,
             clang::ArraySubscriptExpr, clang::FullExpr, clang::MaterializeTemporaryExpr,
             clang::DeclRefExpr, clang::InitListExpr, clang::CXXBindTemporaryExpr>(expression);
}

/// What an expression reads.
struct Reads {
  std::set<const clang::VarDecl *> variables;
  /// Nothing but these variables, and none of them can be reached from elsewhere.
  bool isLocal = true;
};

/// `cudaMalloc(&p, bytes)`, which does not keep the address.
bool isFilledIn(const Program &program, const clang::UnaryOperator &address) {
  const clang::Stmt *parent = program.index.parentOf(&address).stmt;
  while (isa_and_nonnull<clang::CastExpr, clang::ParenExpr>(parent))
    parent = program.index.parentOf(parent).stmt;
  const auto *call = dyn_cast_or_null<clang::CallExpr>(parent);
  const CudaCall *known = call ? cudaCallNamed(runtimeName(program, *call)) : nullptr;
  return known && known->kind == CudaCallKind::Allocation;
}

/// True when all uses of the variable read or assign it by its name, or allocate for it: no
/// pointer, reference or lambda may change it behind an expression's back.
bool isPrivate(const Program &program, const clang::VarDecl &variable) {
  if (!variable.hasLocalStorage() || variable.getType()->isReferenceType())
    return false;
  for (const clang::DeclRefExpr *name : program.index.referencesTo(&variable)) {
    const clang::Stmt *current = name;
    const clang::Stmt *parent = program.index.parentOf(current).stmt;
    while (isa_and_nonnull<clang::ParenExpr, clang::MemberExpr>(parent)) {
      current = parent;
      parent = program.index.parentOf(current).stmt;
    }
    const auto *conversion = dyn_cast_or_null<clang::ImplicitCastExpr>(parent);
    const auto *binary = dyn_cast_or_null<clang::BinaryOperator>(parent);
    const auto *unary = dyn_cast_or_null<clang::UnaryOperator>(parent);
    const bool isKnown =
        (conversion && conversion->getCastKind() == clang::CK_LValueToRValue) ||
        (binary && binary->isAssignmentOp() && binary->getLHS() == current) ||
        (unary && unary->isIncrementDecrementOp()) ||
        (unary && unary->getOpcode() == clang::UO_AddrOf && isFilledIn(program, *unary));
    if (!isKnown || name->refersToEnclosingVariableOrCapture())
      return false;
  }
  return true;
}

void collectReads(const Program &program, const clang::Stmt *expression, Reads &reads) {
  expression = evaluated(expression);
  if (!expression || isBuiltinVariable(*expression))
    return;
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(expression)) {
    const auto *variable = dyn_cast<clang::VarDecl>(name->getDecl());
    if (variable && !variable->getType().isConstQualified()) {
      reads.variables.insert(variable);
      reads.isLocal &= isPrivate(program, *variable);
    }
  } else if (isa<clang::CallExpr, clang::ArraySubscriptExpr, clang::CXXThisExpr>(expression)) {
    reads.isLocal = false;
  } else if (const auto *member = dyn_cast<clang::MemberExpr>(expression)) {
    reads.isLocal &= !member->isArrow();
  } else if (const auto *unary = dyn_cast<clang::UnaryOperator>(expression)) {
    reads.isLocal &= unary->getOpcode() != clang::UO_Deref;
  }
  for (const clang::Stmt *child : expression->children())
    collectReads(program, child, reads);
}

/// True when all that the expression does is to step or assign private variables, or to change
/// memory by atomic operations that nothing in the other expression reads.
bool changesPrivateOnly(const Program &program, const clang::Expr &acting,
                        const clang::Expr &reading) {
  const clang::Expr *changed = nullptr;
  const auto *call = dyn_cast<clang::CallExpr>(&acting);
  if (const auto *binary = dyn_cast<clang::BinaryOperator>(&acting);
      binary && binary->isAssignmentOp())
    changed = binary->getLHS()->IgnoreParens();
  else if (const auto *unary = dyn_cast<clang::UnaryOperator>(&acting);
           unary && unary->isIncrementDecrementOp())
    changed = unary->getSubExpr()->IgnoreParens();
  else if (!isPlainOperation(program, acting) &&
           !(call && changesMemoryApart(program, *call, reading)))
    return !hasEffects(program, acting);
  if (changed) {
    const auto *name = dyn_cast<clang::DeclRefExpr>(changed);
    const auto *variable = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
    if (!variable || !isPrivate(program, *variable))
      return false;
  }
  for (const clang::Stmt *child : acting.children())
    if (const auto *operand = dyn_cast_or_null<clang::Expr>(evaluated(child));
        operand && operand != changed && !changesPrivateOnly(program, *operand, reading))
      return false;
  return true;
}

/// `v`, `v.x` and `v[i].x` of a local variable.
bool isOfLocalObject(const clang::Expr &glvalue) {
  const clang::Expr *part = glvalue.IgnoreParenImpCasts();
  while (true) {
    if (const auto *member = dyn_cast<clang::MemberExpr>(part); member && !member->isArrow())
      part = member->getBase()->IgnoreParenImpCasts();
    else if (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(part);
             subscript && subscript->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
      part = subscript->getBase()->IgnoreParenImpCasts();
    else
      break;
  }
  const auto *name = dyn_cast<clang::DeclRefExpr>(part);
  const auto *variable = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  return variable && variable->hasLocalStorage() && !variable->getType()->isReferenceType();
}

bool leadsToLocalObject(const clang::Expr &pointer) {
  const clang::Expr *given = pointer.IgnoreParenImpCasts();
  if (const auto *address = dyn_cast<clang::UnaryOperator>(given);
      address && address->getOpcode() == clang::UO_AddrOf)
    return isOfLocalObject(*address->getSubExpr());
  return given->getType()->isArrayType() && isOfLocalObject(*given);
}

/// A library's object, such as a stream.
bool isOfLibrary(const Program &program, const clang::CXXRecordDecl &record) {
  return !record.isLambda() && !isUsers(program, record);
}

/// What a call changes by a parameter is a local variable, or an object of a library.
bool changesNoElementBy(const Program &program, clang::QualType parameter,
                        const clang::Expr &given) {
  if (!parameter->isReferenceType() && !parameter->isPointerType())
    return parameter->isArithmeticType() || parameter->isEnumeralType() ||
           parameter->isRecordType();
  const clang::QualType object = parameter->getPointeeType();
  const clang::CXXRecordDecl *record = object->getAsCXXRecordDecl();
  return object.isConstQualified() || (record && isOfLibrary(program, *record)) ||
         (parameter->isReferenceType() ? isOfLocalObject(given) : leadsToLocalObject(given));
}

/// `uniform(&state)`, `next(seed)`, `out << x`: as far as the call is told what to change.
bool changesNoElement(const Program &program, const clang::CallExpr &call) {
  const clang::FunctionDecl *callee = call.getDirectCallee();
  if (!callee || callee->isVariadic() || isa<clang::CUDAKernelCallExpr>(call))
    return false;
  if (isa<clang::CXXConversionDecl>(callee))
    return true;
  unsigned first = 0;
  if (const auto *method = dyn_cast<clang::CXXMethodDecl>(callee)) {
    if (!method->isStatic() && !isOfLibrary(program, *method->getParent()))
      return false;
    first = isa<clang::CXXOperatorCallExpr>(call) && !method->isStatic() ? 1 : 0;
  }
  if (call.getNumArgs() - first > callee->getNumParams())
    return false;
  for (unsigned i = first; i < call.getNumArgs(); ++i)
    if (!changesNoElementBy(program, callee->getParamDecl(i - first)->getType(), *call.getArg(i)))
      return false;
  return true;
}

/// \param reads  of `reading`, or of those of its parts that count
bool changes(const Program &program, const clang::Expr &acting, const clang::Expr &reading,
             const Reads &reads) {
  return hasEffects(program, acting) &&
         ((!reads.isLocal && !changesPrivateOnly(program, acting, reading)) ||
          mayChange(&acting, reads.variables));
}

bool changesWhatReads(const Program &program, const clang::Expr &acting,
                      const clang::Expr &reading) {
  Reads reads;
  collectReads(program, &reading, reads);
  return changes(program, acting, reading, reads);
}

} // namespace

bool mayChange(const clang::Stmt *expression, const std::set<const clang::VarDecl *> &variables,
               bool isRead) {
  expression = evaluated(expression);
  if (!expression)
    return false;
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(expression)) {
    const auto *variable = dyn_cast<clang::VarDecl>(name->getDecl());
    return variable && variables.count(variable) != 0 && !isRead;
  }
  const auto *conversion = dyn_cast<clang::ImplicitCastExpr>(expression);
  const bool reads = conversion && conversion->getCastKind() == clang::CK_LValueToRValue;
  for (const clang::Stmt *child : expression->children())
    if (mayChange(child, variables, reads))
      return true;
  return false;
}

bool hasEffects(const Program &program, const clang::Expr &given) {
  const auto &expression = *clang::cast<clang::Expr>(evaluated(&given));
  if (isBuiltinVariable(expression) || !expression.HasSideEffects(program.unit.ast()))
    return false;
  if (!isPlainOperation(program, expression))
    return true;
  for (const clang::Stmt *child : expression.children())
    if (const auto *operand = dyn_cast_or_null<clang::Expr>(evaluated(child));
        operand && hasEffects(program, *operand))
      return true;
  return false;
}

bool mayChangeElements(const Program &program, const clang::Expr &expression) {
  if (!hasEffects(program, expression))
    return false;
  const clang::Expr *changed = nullptr;
  if (const auto *binary = dyn_cast<clang::BinaryOperator>(&expression);
      binary && binary->isAssignmentOp())
    changed = binary->getLHS();
  else if (const auto *unary = dyn_cast<clang::UnaryOperator>(&expression);
           unary && unary->isIncrementDecrementOp())
    changed = unary->getSubExpr();
  const auto *call = dyn_cast<clang::CallExpr>(&expression);
  if (changed
          ? !isOfLocalObject(*changed)
          : !isPlainOperation(program, expression) && !isa<clang::CXXConstructExpr>(expression) &&
                !(call && changesNoElement(program, *call)))
    return true;
  return std::ranges::any_of(expression.children(), [&](const clang::Stmt *child) {
    const auto *operand = dyn_cast_or_null<clang::Expr>(evaluated(child));
    return operand && mayChangeElements(program, *operand);
  });
}

bool orderMatters(const Program &program, const clang::Expr &a, const clang::Expr &b) {
  return changesWhatReads(program, a, b) || changesWhatReads(program, b, a);
}

bool orderOfStoreMatters(const Program &program, const clang::Expr &element,
                         const clang::Expr &value) {
  Reads reads;
  const clang::Expr *place = element.IgnoreParenImpCasts();
  if (isa<clang::ArraySubscriptExpr, clang::UnaryOperator>(place))
    for (const clang::Stmt *child : place->children())
      collectReads(program, child, reads);
  else
    collectReads(program, place, reads);
  return changes(program, value, element, reads) || changesWhatReads(program, element, value);
}

} // namespace relayout::rewriter
