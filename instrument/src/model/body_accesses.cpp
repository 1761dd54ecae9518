// SPDX-License-Identifier: Apache-2.0
// Walks one device function in evaluation order: the glvalues it uses, and what it uses them for.
#include "model/body_walker.h"

#include "relayout/instrument/clang/scalar_records.h"
#include "relayout/instrument/clang/vector_types.h"

#include <fmt/format.h>

namespace relayout::instrument {

using clang::dyn_cast;
using clang::isa;

/// Walks a pointer whose accesses belong to the array or field that it was cast from.
void BodyWalker::walkTraced(const clang::Expr *pointer) {
  traced_ = pointer->IgnoreParenImpCasts();
  walk(pointer);
}

/// Walks what a chain evaluates on its way: indices, pointers, calls; not the chain itself.
void BodyWalker::walkInside(const clang::Expr *glvalue) {
  const clang::Expr *at = throughGlvalueCasts(glvalue);
  if (const auto *member = dyn_cast<clang::MemberExpr>(at)) {
    if (member->isArrow())
      walk(member->getBase());
    else
      walkInside(member->getBase());
  } else if (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(at)) {
    if (const clang::Expr *array = decayedArray(subscript->getBase()))
      walkInside(array);
    else
      walkTraced(subscript->getBase());
    walk(subscript->getIdx());
  } else if (const auto *unary = dyn_cast<clang::UnaryOperator>(at);
             unary && unary->getOpcode() == clang::UO_Deref) {
    if (const clang::Expr *array = decayedArray(unary->getSubExpr()))
      walkInside(array);
    else
      walkTraced(unary->getSubExpr());
  } else if (!isa<clang::DeclRefExpr>(at)) {
    walk(at);
  }
}

void BodyWalker::walkChain(const clang::Expr *glvalue, Use use) {
  walkInside(glvalue);
  if (use == Use::None || !glvalue->isGLValue())
    return;
  if (!glvalue->isLValue() || glvalue->refersToVectorElement())
    notes_.unprobable(glvalue);
  if (glvalue->refersToBitField())
    notes_.bitField(glvalue);
  const Chain chain = chains_.resolve(glvalue);
  if (chain.root == Root::Local)
    return;
  context_.facts.loadsPointers |=
      glvalue->getType()->isPointerType() &&
      context_.arrayRecord(glvalue->getType()->getPointeeType(), glvalue);
  if (!chain.record)
    return walkPlain(chain, glvalue, use);
  if (isScalarRecord(*chain.record))
    return walkScalar(chain, glvalue, use);
  const bool isRecordItself = !chain.field;
  const clang::CXXRecordDecl *nested = context_.userRecord(glvalue->getType());
  const bool isWholeVector = isRecordItself && vectorTypeOf(glvalue->getType()) == chain.record;
  switch (use) {
  case Use::None:
    return;
  case Use::Address:
    if (!isRecordItself)
      notes_.warn(
          Code::FieldAddressKept,
          fmt::format("the address of field '{}' is kept: accesses through it are not traced",
                      chain.field->getNameAsString()),
          glvalue->getExprLoc());
    return;
  case Use::BindConst:
  case Use::BindMutable:
    if (isRecordItself)
      return;
    return bindField(chain, glvalue, use);
  case Use::Read:
  case Use::ReadInPlace:
  case Use::Write:
  case Use::ReadWrite:
    if (isRecordItself && !nested && !isWholeVector)
      return;
    return notes_.access(chain, glvalue, use);
  }
}

/// A field that a reference is bound to: what is done through it is counted here.
void BodyWalker::bindField(const Chain &chain, const clang::Expr *field, Use use) {
  const std::string name = chain.field->getNameAsString();
  if (const clang::CXXRecordDecl *nested = context_.userRecord(field->getType())) {
    notes_.remark(
        Code::FieldReference,
        fmt::format("field '{}' is bound to a reference: accesses through it count for '{}'", name,
                    nested->getNameAsString()),
        field->getExprLoc());
    return;
  }
  notes_.remark(Code::FieldReference,
                fmt::format("field '{}' is bound to a reference: counted as a {} here", name,
                            use == Use::BindConst ? "read" : "read and a write"),
                field->getExprLoc());
  notes_.access(chain, field, use == Use::BindConst ? Use::ReadInPlace : Use::ReadWrite);
}

/// An access to an element of a plain array. What is done through a reference is counted where it
/// is bound.
void BodyWalker::walkScalar(const Chain &chain, const clang::Expr *glvalue, Use use) {
  if (chain.root != Root::Pointer || glvalue->getType()->isArrayType() || use == Use::None ||
      use == Use::Address)
    return;
  if (use == Use::BindConst)
    use = Use::ReadInPlace;
  else if (use == Use::BindMutable)
    use = Use::ReadWrite;
  notes_.access(chain, glvalue, use);
}

/// An access to memory that holds no records, if those are asked for.
void BodyWalker::walkPlain(const Chain &chain, const clang::Expr *glvalue, Use use) {
  if (!context_.facts.allAccesses || glvalue->getType()->isArrayType() ||
      glvalue->getType().isVolatileQualified())
    return;
  const auto *name = dyn_cast<clang::DeclRefExpr>(chain.object);
  const bool isDeviceVariable = name && name->getDecl()->hasAttr<clang::CUDADeviceAttr>() &&
                                context_.isUsers(name->getDecl()->getLocation());
  if (chain.root != Root::Pointer && !(chain.root == Root::Variable && isDeviceVariable))
    return;
  switch (use) {
  case Use::None:
  case Use::Address:
    return;
  case Use::BindConst:
    return notes_.access(chain, glvalue, Use::ReadInPlace);
  case Use::BindMutable:
    return notes_.access(chain, glvalue, Use::ReadWrite);
  case Use::Read:
  case Use::ReadInPlace:
  case Use::Write:
  case Use::ReadWrite:
    return notes_.access(chain, glvalue, use);
  }
}

void BodyWalker::walkAtomicPointer(const clang::Expr *pointer) {
  const clang::Expr *bare = pointer->IgnoreParenCasts();
  const clang::Expr *target = nullptr;
  if (const auto *address = dyn_cast<clang::UnaryOperator>(bare);
      address && address->getOpcode() == clang::UO_AddrOf)
    target = address->getSubExpr();
  const clang::Expr *offset = nullptr;
  if (const auto *sum = dyn_cast<clang::BinaryOperator>(bare);
      sum && sum->getOpcode() == clang::BO_Add) {
    offset = sum->getRHS();
    bare = sum->getLHS()->IgnoreParens();
  }
  if (!target)
    if (const clang::Expr *array = decayedArray(offset ? bare : pointer))
      target = array;
  if (!target) {
    walkTraced(pointer);
    Chain chain = chains_.rootedInPointer({}, pointer);
    const bool isTraced = chain.record ? chain.field != nullptr : context_.facts.allAccesses;
    if (isTraced && chain.root == Root::Pointer)
      notes_.atomicAccess(chain, pointer, pointer);
    return;
  }
  walkInside(target);
  if (offset)
    walk(offset);
  const Chain chain = chains_.resolve(target);
  const bool isPlain = context_.facts.allAccesses && !chain.record && chain.root == Root::Pointer;
  if (isPlain || (chain.root != Root::Local && chain.record && chain.field))
    notes_.atomicAccess(chain, target, pointer);
}

} // namespace relayout::instrument
