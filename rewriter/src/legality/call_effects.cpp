// SPDX-License-Identifier: Apache-2.0
// Effects of calls: the callee's on what it is given, and none on anything else.
#include "legality/effect_walk.h"

#include "legality/library_functions.h"

#include <clang/AST/ExprCXX.h>

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::isa;

void CallWalk::passMutable(const clang::Expr &argument, const clang::FunctionDecl &callee,
                           int parameter) {
  const std::optional<Root> root = rootOf(&argument);
  if (!root) {
    const clang::Expr *bare = argument.IgnoreParenImpCasts();
    if (!isa<clang::MaterializeTemporaryExpr>(bare) && bare->isGLValue())
      record_.writeBehind(behindPointer(bare),
                          "lets another function change what it reaches through a pointer");
    walk_.walk(&argument);
    return include(callee, parameter);
  }
  walk_.walkIndices(&argument);
  if (record_.tracked().has(*root))
    return include(callee, parameter, &root->path);
  record_.write(*root);
  include(callee, parameter);
}

void CallWalk::include(const clang::FunctionDecl &callee, int parameter, const std::string *at) {
  record_.include(effectsIn(walk_.program_, callee, parameter, walk_.around_), at);
}

void CallWalk::includeUnchanging(const clang::FunctionDecl &callee) {
  ElementEffects effects = effectsIn(walk_.program_, callee, -1, walk_.around_);
  if (!effects.written.empty())
    record_.stop(fmt::format("calls '{}', which changes its object", callee.getNameAsString()));
  record_.include(effects, nullptr);
}

bool CallWalk::isState(const clang::CallExpr &call, const clang::Expr &given) const {
  return changesItsState(runtimeName(walk_.program_, call), given.getType());
}

/// `sincosf(a, &s, &c)`, `curand_uniform(&state)` change what the addresses lead to.
void CallWalk::walkResults(const clang::CallExpr &call) {
  const std::string name = runtimeName(walk_.program_, call);
  for (const clang::Expr *given : call.arguments()) {
    if (!given->getType()->isPointerType()) {
      walk_.walk(given);
      continue;
    }
    if (isState(call, *given) && isa<clang::DeclRefExpr>(given->IgnoreParenImpCasts())) {
      record_.writeBehind(given->getType()->getPointeeType(), fmt::format("calls '{}'", name));
      walk_.walk(given);
      continue;
    }
    const auto *address = dyn_cast<clang::UnaryOperator>(given->IgnoreParenImpCasts());
    if (!address || address->getOpcode() != clang::UO_AddrOf || !rootOf(address->getSubExpr()) ||
        isAtomic(name) || !(forgetsAddresses(name) || isState(call, *given)))
      return record_.stop(fmt::format("calls '{}'", name));
    walk_.write(address->getSubExpr());
  }
}

void CallWalk::walkCall(const clang::CallExpr &call) {
  const clang::FunctionDecl *callee = call.getDirectCallee();
  if (!callee)
    return record_.stop("calls through a pointer");
  if (isForwardCall(call))
    return walk_.walk(call.getArg(0));
  if (forgetsAddresses(runtimeName(walk_.program_, call)) ||
      std::ranges::any_of(call.arguments(),
                          [&](const clang::Expr *given) { return isState(call, *given); }))
    return walkResults(call);
  if (endsProgram(*callee)) {
    for (const clang::Expr *given : call.arguments())
      walk_.walk(given);
    return;
  }
  const auto *method = dyn_cast<clang::CXXMethodDecl>(callee);
  if (method && method->isVirtual())
    return record_.stop(fmt::format("calls '{}', which is virtual", callee->getNameAsString()));
  if (const auto *operation = dyn_cast<clang::CXXOperatorCallExpr>(&call);
      operation && method && method->isTrivial() && operation->isAssignmentOp()) {
    walk_.walk(call.getArg(1));
    return walk_.write(call.getArg(0));
  }
  unsigned first = 0;
  const clang::Expr *object = nullptr;
  if (const auto *member = dyn_cast<clang::CXXMemberCallExpr>(&call)) {
    object = member->getImplicitObjectArgument();
  } else if (isa<clang::CXXOperatorCallExpr>(call) && method && method->isInstance()) {
    object = call.getArg(0);
    first = 1;
  }
  bool passed = false;
  if (object && method && method->isInstance())
    passed = walkObject(*object, *method);
  for (unsigned i = first; i < call.getNumArgs(); ++i)
    passed |= walkArgument(*call.getArg(i), *callee, static_cast<int>(i - first));
  if (!passed)
    includeUnchanging(*callee);
}

bool CallWalk::walkObject(const clang::Expr &object, const clang::CXXMethodDecl &method) {
  const clang::Expr *bare = object.IgnoreParenImpCasts();
  const bool isThis = isa<clang::CXXThisExpr>(bare);
  if (object.getType()->isPointerType() && !isThis) {
    walk_.walk(&object);
    if (method.isConst())
      return false;
    record_.writeBehind(object.getType()->getPointeeType(), "calls a method through a pointer");
    include(method, -1);
    return true;
  }
  if (isThis) {
    if (record_.tracked().isThis) {
      const std::string whole;
      include(method, -1, &whole);
      return true;
    }
    if (!method.isConst())
      record_.stop("changes the object it is called on");
    return false;
  }
  if (method.isConst()) {
    const std::optional<Root> root = rootOf(bare);
    root ? walk_.read(bare) : walk_.walk(&object);
    return false;
  }
  passMutable(object, method, -1);
  return true;
}

bool CallWalk::walkArgument(const clang::Expr &argument, const clang::FunctionDecl &callee,
                            int index) {
  const clang::ParmVarDecl *parameter =
      index < static_cast<int>(callee.getNumParams()) ? callee.getParamDecl(index) : nullptr;
  const clang::QualType type = parameter ? parameter->getType() : clang::QualType();
  if (!parameter || !type->isReferenceType() || type.getNonReferenceType().isConstQualified()) {
    if (parameter && type->isReferenceType() && rootOf(&argument))
      walk_.read(&argument);
    else
      walk_.walk(&argument);
    return false;
  }
  passMutable(argument, callee, index);
  return true;
}

void CallWalk::walkConstruction(const clang::CXXConstructExpr &construction) {
  const clang::CXXConstructorDecl &constructor = *construction.getConstructor();
  if (constructor.isTrivial() && constructor.isCopyOrMoveConstructor())
    return rootOf(construction.getArg(0)) ? walk_.read(construction.getArg(0))
                                          : walk_.walk(construction.getArg(0));
  for (unsigned i = 0; i < construction.getNumArgs(); ++i)
    (void)walkArgument(*construction.getArg(i), constructor, static_cast<int>(i));
  if (!constructor.isTrivial() && !constructor.isImplicit() && !constructor.isDefaulted())
    include(constructor, -1);
}

} // namespace relayout::rewriter
