// SPDX-License-Identifier: Apache-2.0
// Takes allocations, launches and accesses as evidence of the memory that objects hold.
#include "structs/held_memory.h"

#include "model/referents.h"
#include "relayout/base/cuda_calls.h"
#include "relayout/instrument/clang/symbols.h"

#include <clang/AST/ExprCXX.h>

namespace relayout::instrument {

using clang::dyn_cast;

std::vector<std::string> HeldMemory::ownerOf(const clang::Expr *expression) const {
  std::vector<std::string> owners;
  const auto *member = dyn_cast<clang::MemberExpr>(expression->IgnoreParenCasts());
  if (member && holder_.fields.contains(member->getMemberDecl()->getNameAsString()) &&
      names_.leadsTo(member->getBase()->getType()))
    names_.refer(member->getBase(), owners);
  return owners;
}

void HeldMemory::noteAllocation(const clang::CallExpr &call) {
  const CudaCall *known = cudaCallNamed(calleeName(&call));
  if (!known || known->kind != CudaCallKind::Allocation || call.getNumArgs() == 0)
    return;
  if (known->memory != CudaMemory::Device && known->memory != CudaMemory::Managed)
    return;
  const auto *address = dyn_cast<clang::UnaryOperator>(call.getArg(0)->IgnoreParenCasts());
  if (!address || address->getOpcode() != clang::UO_AddrOf)
    return;
  for (const std::string &owner : ownerOf(address->getSubExpr()))
    onDevice(owner, call.getExprLoc());
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(address->getSubExpr()->IgnoreParens()))
    allocated_.insert(canonical(name->getDecl()));
}

void HeldMemory::noteKernelArgument(const clang::Expr &argument) {
  for (const std::string &owner : ownerOf(&argument))
    onDevice(owner, argument.getExprLoc());
}

void HeldMemory::noteAssignment(const clang::BinaryOperator &assignment) {
  if (assignment.getLHS()->getType()->isPointerType())
    noteGiven(ownerOf(assignment.getLHS()), *assignment.getRHS());
}

void HeldMemory::noteGiven(const std::vector<std::string> &objects, const clang::Expr &value) {
  Referent referent;
  resolve(&value, referent);
  for (const std::string &object : objects) {
    if (referent.origins.host)
      onHost(object, value.getExprLoc());
    else if (!referent.declarations.empty() || !referent.unknown.empty())
      objects_.given.insert(object);
    for (const clang::ValueDecl *from : referent.declarations)
      given_.push_back({object, from, value.getExprLoc()});
  }
}

void HeldMemory::noteHostUse(const clang::Expr &pointer) {
  for (const std::string &owner : ownerOf(&pointer))
    onHost(owner, pointer.getExprLoc());
}

void HeldMemory::finish() {
  for (const auto &[object, from, where] : given_)
    if (allocated_.contains(from))
      onDevice(object, where);
}

} // namespace relayout::instrument
