// SPDX-License-Identifier: Apache-2.0
// Functions of any kind that allocate through a `void **`, or free a `void *`.
#include "model/untyped_reading.h"

#include <algorithm>

namespace relayout::instrument {

using clang::dyn_cast;

namespace {

/// True where the function changes a parameter, or lets another do so.
bool isChanged(const clang::ParmVarDecl &parameter, const clang::Stmt *statement) {
  if (!statement)
    return false;
  const clang::Expr *changed = nullptr;
  if (const auto *operation = dyn_cast<clang::BinaryOperator>(statement);
      operation && operation->isAssignmentOp())
    changed = operation->getLHS();
  else if (const auto *unary = dyn_cast<clang::UnaryOperator>(statement);
           unary && (unary->isIncrementDecrementOp() || unary->getOpcode() == clang::UO_AddrOf))
    changed = unary->getSubExpr();
  const auto *name =
      changed ? dyn_cast<clang::DeclRefExpr>(changed->IgnoreParenImpCasts()) : nullptr;
  return (name && name->getDecl() == &parameter) ||
         std::ranges::any_of(statement->children(),
                             [&](const clang::Stmt *child) { return isChanged(parameter, child); });
}

/// The parameter that an expression is the value of.
const clang::ParmVarDecl *parameterIn(const clang::FunctionDecl &function,
                                      const clang::Expr &expression) {
  const auto *name = dyn_cast<clang::DeclRefExpr>(expression.IgnoreParenImpCasts());
  const auto *parameter = name ? dyn_cast<clang::ParmVarDecl>(name->getDecl()) : nullptr;
  return parameter && parameter->getDeclContext() == &function &&
                 parameter->getType()->isIntegerType() && !isChanged(*parameter, function.getBody())
             ? parameter
             : nullptr;
}

/// Calls what deals with the pointer of a parameter.
/// \param use  of the call, its argument for the pointer; \returns false: this is not known
template <class Use>
bool allUses(const UntypedFunction &function, const clang::ParmVarDecl &parameter, Use use) {
  const std::size_t pointer = function.pointerOf(&parameter);
  if (!function.obstacle.empty() || pointer == UntypedFunction::kNone ||
      function.pointers[pointer].isReturned)
    return false;
  return std::ranges::all_of(function.calls, [&](const UntypedFunction::Call &inner) {
    for (unsigned i = 0; i < inner.call->getNumArgs(); ++i)
      if (function.pointerOf(inner.call->getArg(i)) == pointer && !use(inner, i))
        return false;
    return true;
  });
}

} // namespace

std::optional<UntypedAllocation> allocationThrough(const clang::FunctionDecl &definition,
                                                   unsigned parameter) {
  const UntypedFunction function = readUntyped(definition, UntypedKind::Any);
  const clang::ParmVarDecl *const given = definition.getParamDecl(parameter);
  std::optional<UntypedAllocation> made;
  const auto use = [&](const UntypedFunction::Call &inner, unsigned position) {
    if (inner.known && inner.known->kind == CudaCallKind::Free)
      return true; // of what it has just allocated, where something else fails
    const bool sets = inner.known && inner.known->kind == CudaCallKind::Set;
    unsigned size = sets ? 2 : 1;
    Origins origins = function.pointers[function.pointerOf(given)].allocated;
    if (!inner.known) {
      const auto own = allocationThrough(*inner.call->getDirectCallee()->getDefinition(), position);
      if (!own)
        return false;
      size = own->size;
    } else if ((!sets && inner.known->kind != CudaCallKind::Allocation) || position != 0) {
      return false;
    }
    const clang::ParmVarDecl *bytes = size < inner.call->getNumArgs()
                                          ? parameterIn(definition, *inner.call->getArg(size))
                                          : nullptr;
    if (!bytes || (made ? made->size != bytes->getFunctionScopeIndex() : sets))
      return false;
    made = UntypedAllocation{bytes->getFunctionScopeIndex(), origins};
    return true;
  };
  if (!allUses(function, *given, use) || !made || made->made.host)
    return std::nullopt;
  return made;
}

bool onlyFrees(const clang::FunctionDecl &definition, unsigned parameter) {
  const UntypedFunction function = readUntyped(definition, UntypedKind::Any);
  bool frees = false;
  const auto use = [&](const UntypedFunction::Call &inner, unsigned position) {
    frees = true;
    return inner.known ? inner.known->kind == CudaCallKind::Free
                       : onlyFrees(*inner.call->getDirectCallee()->getDefinition(), position);
  };
  return allUses(function, *definition.getParamDecl(parameter), use) && frees;
}

} // namespace relayout::instrument
