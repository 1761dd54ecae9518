// SPDX-License-Identifier: Apache-2.0
// Looks at the types of the arguments of constructors and assignments.
#include "model/owner_flow.h"

#include "relayout/instrument/clang/pointer_owners.h"

#include <clang/AST/DeclTemplate.h>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::dyn_cast_or_null;

bool isUniquePointer(clang::QualType type) {
  const auto *instance = dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(
      type.getNonReferenceType()->getAsCXXRecordDecl());
  return instance && instance->getName() == "unique_ptr" && instance->isInStdNamespace();
}

void note(const clang::ParmVarDecl &owned, const clang::Expr &object, FlowGraph &graph) {
  Origins origins;
  origins.unknown = true;
  graph.addOrigins(&owned, origins, object.getExprLoc());
  graph.addUnknown(&owned, "the pointer of a smart pointer of another type", object.getExprLoc());
}

} // namespace

void joinOwners(const clang::FunctionDecl &callee, llvm::ArrayRef<const clang::Expr *> objects,
                FlowGraph &graph) {
  const auto *method = dyn_cast<clang::CXXMethodDecl>(&callee);
  const auto *instance =
      method ? dyn_cast<clang::ClassTemplateSpecializationDecl>(method->getParent()) : nullptr;
  if (!instance || !isOneOf(instance->getName().str(), {"unique_ptr", "shared_ptr"}) ||
      !instance->isInStdNamespace())
    return;
  const clang::ParmVarDecl *into = ownedByObjectOf(callee);
  for (const clang::Expr *object : objects) {
    const clang::ParmVarDecl *from = ownedPointer(object->getType());
    if (from == into)
      continue;
    if (from && into)
      graph.join(from, into);
    else if (from)
      note(*from, *object, graph);
    else if (into && isUniquePointer(object->getType()))
      note(*into, *object, graph);
  }
}

} // namespace relayout::instrument
