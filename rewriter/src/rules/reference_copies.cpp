// SPDX-License-Identifier: Apache-2.0
// A `const R &` parameter that was bound to an element is bound to a copy afterwards, and so is
// `this` of a const method. That is the same only while the call neither changes such elements nor
// waits for others to do so, and keeps no address of what it was given.
#include "rules/uses.h"

#include <fmt/format.h>

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::isa;

/// Follows `this` through a const method that is called on a copy of an element.
void UseRewriter::methodOfCopy(Use &use, const clang::FunctionDecl &method,
                               clang::SourceLocation where) {
  const clang::FunctionDecl *body = method.getDefinition();
  if (!body || !methodsOfCopies_.insert(body).second)
    return; // one that is not seen is refused by checkSnapshots()
  for (const clang::CXXThisExpr *object : program_.index.thisIn(body))
    if (!isFieldOrMethodOfThis(use, *object, where))
      refuse(use, Code::UnsupportedElementUse,
             fmt::format("'{}' uses the address of the element it is called on",
                         body->getNameAsString()),
             object->getExprLoc(), "pass the array and the index instead");
}

bool UseRewriter::isFieldOrMethodOfThis(Use &use, const clang::CXXThisExpr &object,
                                        clang::SourceLocation where) {
  const clang::Expr *current = &object;
  const clang::Stmt *parent = program_.index.parentOf(current).stmt;
  while (isa_and_nonnull<clang::ParenExpr, clang::ImplicitCastExpr>(parent)) {
    current = clang::cast<clang::Expr>(parent);
    parent = program_.index.parentOf(current).stmt;
  }
  if (isa_and_nonnull<clang::LambdaExpr>(parent))
    return true; // what it does with `this` is looked at by itself
  const auto *member = dyn_cast_or_null<clang::MemberExpr>(parent);
  if (!member || !member->isArrow())
    return false;
  if (isa<clang::FieldDecl>(member->getMemberDecl())) {
    Use inner{member, use.target, program_.index.functionAround(member), {}, false, true};
    field(inner, member, /*isValue=*/true);
    use.refused |= inner.refused;
    return true;
  }
  const auto *method = dyn_cast<clang::CXXMethodDecl>(member->getMemberDecl());
  if (!method)
    return isa<clang::VarDecl>(member->getMemberDecl());
  if (method->isStatic())
    return true;
  if (method->getReturnType()->isReferenceType() || method->getReturnType()->isPointerType())
    return false;
  methodOfCopy(use, *method, where);
  return true;
}

void UseRewriter::requireNoStores(Use &use, const clang::FunctionDecl *callee,
                                  clang::SourceLocation where) {
  snapshots_.push_back(
      {callee->getDefinition() ? callee->getDefinition() : callee, use.target, where});
}

void UseRewriter::checkSnapshots() {
  for (const Snapshot &snapshot : snapshots_) {
    std::set<const clang::FunctionDecl *> reached = {snapshot.callee};
    std::vector<const clang::FunctionDecl *> open = {snapshot.callee};
    std::string reason;
    while (!open.empty() && reason.empty()) {
      const clang::FunctionDecl *function = open.back();
      open.pop_back();
      const std::string name = function->getNameAsString();
      if (storing_.count(function))
        reason = fmt::format("'{}' writes elements of such arrays", name);
      else if (!isUsers(program_, *function) &&
               (name.starts_with("__sync") || name.starts_with("__threadfence") ||
                name == "atomicCAS" || name == "atomicExch" || name == "__nanosleep"))
        reason = fmt::format("it may wait for other threads in '{}'", name);
      else if (isUsers(program_, *function) && !function->isDefined() && !function->isDefaulted() &&
               !function->isImplicit())
        reason = fmt::format("'{}' is not seen", name);
      for (const clang::FunctionDecl *callee : program_.index.calleesOf(function))
        if (reached.insert(callee).second)
          open.push_back(callee);
    }
    if (!reason.empty())
      program_.findings.refuse(
          Code::UnsupportedElementUse,
          fmt::format(
              "arrays of '{}' stay as they are: a call that is given an element by reference "
              "may change it: {}",
              snapshot.target->shape.name, reason),
          snapshot.where, "copy the element to a local variable first, if that is what is meant");
  }
}

} // namespace relayout::rewriter
