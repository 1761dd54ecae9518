// SPDX-License-Identifier: Apache-2.0
// Climbs from a glvalue to the root of its chain.
#include "model/access_chain.h"

#include "relayout/instrument/clang/scalar_records.h"
#include "relayout/instrument/clang/shared_arrays.h"

#include <algorithm>

namespace relayout::instrument {

using clang::dyn_cast;
using clang::isa;

/// The array glvalue that decays to this pointer, or null. In a template one whose extent is a
/// parameter has not decayed.
const clang::Expr *decayedArray(const clang::Expr *pointer) {
  if (pointer->getType()->isArrayType())
    return pointer->IgnoreParens();
  const auto *decay = dyn_cast<clang::ImplicitCastExpr>(pointer->IgnoreParens());
  if (!decay || decay->getCastKind() != clang::CK_ArrayToPointerDecay)
    return nullptr;
  return decay->getSubExpr();
}

const clang::Expr *throughGlvalueCasts(const clang::Expr *glvalue) {
  while (true) {
    glvalue = glvalue->IgnoreParens();
    const auto *conversion = dyn_cast<clang::CastExpr>(glvalue);
    if (!conversion || !conversion->isGLValue())
      return glvalue;
    switch (conversion->getCastKind()) {
    case clang::CK_NoOp:
    case clang::CK_DerivedToBase:
    case clang::CK_UncheckedDerivedToBase:
      glvalue = conversion->getSubExpr();
      break;
    default:
      return glvalue;
    }
  }
}

namespace {

clang::QualType elementType(clang::QualType type) {
  while (const clang::ArrayType *array = type->getAsArrayTypeUnsafe())
    type = array->getElementType();
  return type;
}

/// The pointer that `p[i]` or `*p` goes through, or null for other expressions.
const clang::Expr *pointerOf(const clang::Expr *glvalue) {
  if (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(glvalue))
    return subscript->getBase();
  const auto *unary = dyn_cast<clang::UnaryOperator>(glvalue);
  return unary && unary->getOpcode() == clang::UO_Deref ? unary->getSubExpr() : nullptr;
}

/// `std::move(x)` and its relatives: the argument, or null.
const clang::Expr *movedObject(const clang::Expr *glvalue) {
  const auto *call = dyn_cast<clang::CallExpr>(glvalue);
  return call && call->getDirectCallee() && call->getDirectCallee()->isInStdNamespace() &&
                 call->getNumArgs() == 1 && call->isXValue()
             ? call->getArg(0)
             : nullptr;
}

/// Memory of the thread's own, or of the program's text.
bool isTemporary(const clang::Expr *glvalue) {
  return !glvalue->isGLValue() || isa<clang::MaterializeTemporaryExpr, clang::StringLiteral,
                                      clang::CompoundLiteralExpr, clang::PredefinedExpr>(glvalue);
}

/// True where a statement gives a variable another value, or its address away.
bool isChanged(const clang::Stmt *statement, const clang::VarDecl &variable) {
  if (!statement)
    return false;
  const auto names = [&](const clang::Expr *expression) {
    const auto *name = dyn_cast<clang::DeclRefExpr>(expression->IgnoreParens());
    return name && name->getDecl() == &variable;
  };
  if (const auto *assignment = dyn_cast<clang::BinaryOperator>(statement);
      assignment && assignment->getOpcode() == clang::BO_Assign && names(assignment->getLHS()))
    return true;
  if (const auto *address = dyn_cast<clang::UnaryOperator>(statement);
      address && address->getOpcode() == clang::UO_AddrOf && names(address->getSubExpr()))
    return true;
  return std::ranges::any_of(statement->children(),
                             [&](const clang::Stmt *child) { return isChanged(child, variable); });
}

/// A pointer without casts that leave the size of what it points to.
const clang::Expr *throughPointerCasts(const clang::Expr *pointer, const clang::ASTContext &ast) {
  while (true) {
    pointer = pointer->IgnoreParenImpCasts();
    const auto *conversion = dyn_cast<clang::ExplicitCastExpr>(pointer);
    if (!conversion || !leavesPointeeSize(*conversion, ast))
      return pointer;
    pointer = conversion->getSubExprAsWritten();
  }
}

/// What a pointer that is a variable of its function keeps to all the time; null for others.
const clang::Expr *keptValue(const clang::Expr *pointer) {
  const auto *name = dyn_cast<clang::DeclRefExpr>(pointer->IgnoreParenImpCasts());
  const auto *variable = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  return variable && keepsToItsArray(*variable)
             ? throughPointerCasts(variable->getInit(), variable->getASTContext())
             : nullptr;
}

/// Whether a cast, or a variable behind one, took the type of one pointer from the other.
bool pointsToOtherType(const clang::Expr &one, const clang::Expr &other) {
  const clang::QualType first = one.getType()->getPointeeType(),
                        second = other.getType()->getPointeeType();
  return !first.isNull() && !second.isNull() && first->isScalarType() && second->isScalarType() &&
         first.getCanonicalType().getUnqualifiedType() !=
             second.getCanonicalType().getUnqualifiedType();
}

/// `p[i].at` of `float *r = p[i].at;`, `p[i].v` of `Vec *v = &p[i].v;` where the pointer is a
/// variable that keeps to the field; null for other pointers.
const clang::Expr *keptField(const clang::Expr *pointer) {
  const clang::Expr *field = keptValue(pointer);
  if (!field)
    return nullptr;
  if (const auto *address = dyn_cast<clang::UnaryOperator>(field);
      address && address->getOpcode() == clang::UO_AddrOf)
    field = address->getSubExpr()->IgnoreParens();
  else if (!field->getType()->isArrayType())
    return nullptr;
  const auto *member = dyn_cast<clang::MemberExpr>(field);
  return member && isa<clang::FieldDecl>(member->getMemberDecl()) ? member : nullptr;
}

/// `p[i].v` of `(int *)&p[i].v`, and of a variable that keeps to it.
const clang::Expr *castField(const clang::Expr *pointer, const clang::ASTContext &ast) {
  if (const clang::Expr *kept = keptField(pointer))
    return kept;
  const auto *address = dyn_cast<clang::UnaryOperator>(throughPointerCasts(pointer, ast));
  const clang::Expr *field = address && address->getOpcode() == clang::UO_AddrOf
                                 ? address->getSubExpr()->IgnoreParens()
                                 : nullptr;
  return field && isa<clang::MemberExpr>(field) ? field : nullptr;
}

} // namespace

bool keepsToItsArray(const clang::VarDecl &variable) {
  if (isa<clang::ParmVarDecl>(variable) || !variable.hasLocalStorage() ||
      !variable.getType()->isPointerType() || !variable.getInit())
    return false;
  const auto *function = dyn_cast<clang::FunctionDecl>(variable.getDeclContext());
  return function && !isChanged(function->getBody(), variable);
}

bool leavesPointeeSize(const clang::CastExpr &conversion, const clang::ASTContext &ast) {
  const auto sizeOf = [&](const clang::Expr &expression) {
    const clang::QualType pointee = expression.getType()->getPointeeType();
    return !pointee.isNull() && pointee->isScalarType() ? ast.getTypeSizeInCharsIfKnown(pointee)
                                                        : std::nullopt;
  };
  const auto size = sizeOf(conversion);
  return size && size == sizeOf(*conversion.getSubExprAsWritten());
}

const clang::Expr *fieldBehind(const clang::Expr *pointer) {
  if (const clang::Expr *kept = keptField(pointer))
    return kept;
  const clang::Expr *bare = pointer->IgnoreParenImpCasts();
  if (const auto *address = dyn_cast<clang::UnaryOperator>(bare);
      address && address->getOpcode() == clang::UO_AddrOf)
    return address->getSubExpr()->IgnoreParens();
  return bare->getType()->isArrayType() ? bare : nullptr;
}

namespace {

/// Memory of the program's own with a layout that may be chosen.
bool isDeviceGlobal(const clang::VarDecl &variable) {
  if (variable.hasAttr<clang::CUDASharedAttr>())
    return isSharedArray(variable);
  return variable.hasGlobalStorage() && !variable.hasAttr<clang::CUDAConstantAttr>() &&
         !variable.isConstexpr();
}

} // namespace

Use bindingUse(clang::QualType referenceType) {
  return referenceType.getNonReferenceType().isConstQualified() ? Use::BindConst : Use::BindMutable;
}

Chain ChainResolver::rootedInPointer(Chain chain, const clang::Expr *pointer) const {
  chain.root = Root::Pointer;
  const clang::Expr *bare = throughPointerCasts(pointer, context_.unit.ast());
  if (isa<clang::CXXThisExpr>(bare))
    chain.root = Root::Reference;
  else if (const auto *address = dyn_cast<clang::UnaryOperator>(bare);
           address && address->getOpcode() == clang::UO_AddrOf &&
           resolve(address->getSubExpr()).root == Root::Local)
    chain.root = Root::Local;
  if (rootInArgument(chain, bare))
    return chain;
  if (const clang::Expr *kept = keptValue(bare))
    bare = kept;
  if (pointsToOtherType(*pointer, *bare)) // of the array that the pointer was cast from
    pointer = bare;
  // The address of a derived object converts to its base; the array is one of the derived type.
  while (const auto *conversion = dyn_cast<clang::CastExpr>(pointer->IgnoreParens())) {
    if (conversion->getCastKind() != clang::CK_UncheckedDerivedToBase &&
        conversion->getCastKind() != clang::CK_DerivedToBase)
      break;
    pointer = conversion->getSubExpr();
  }
  if (const clang::QualType pointee = pointer->getType()->getPointeeType(); !pointee.isNull())
    setRecord(chain, elementType(pointee), pointer); // else a template's parameter decides
  chain.object = pointer;
  return chain;
}

bool ChainResolver::rootInArgument(Chain &chain, const clang::Expr *expression) const {
  if (const clang::Expr *kept = keptValue(expression))
    expression = kept;
  const auto *name = dyn_cast<clang::DeclRefExpr>(expression);
  const auto *parameter = name ? dyn_cast<clang::ParmVarDecl>(name->getDecl()) : nullptr;
  const auto known = context_.fieldArguments.find(parameter);
  if (known == context_.fieldArguments.end())
    return false;
  chain.record = known->second.record;
  chain.field = known->second.field;
  chain.object = known->second.object;
  return true;
}

/// An access to a scalar of a plain array is one to the field of its record.
void ChainResolver::setRecord(Chain &chain, clang::QualType type, const clang::Expr *object) const {
  chain.record = context_.arrayRecord(type, object);
  if (chain.record && isScalarRecord(*chain.record))
    chain.field = scalarField(*chain.record);
}

const clang::Expr *ChainResolver::throughMember(Chain &chain,
                                                const clang::MemberExpr &member) const {
  const auto *field = dyn_cast<clang::FieldDecl>(member.getMemberDecl());
  if (!field) { // a static member
    chain.root = Root::Variable;
    chain.object = &member;
    chain.field = nullptr;
    return nullptr;
  }
  if (!chain.last)
    chain.last = field;
  chain.field = field;
  return member.getBase();
}

const clang::Expr *ChainResolver::throughName(Chain &chain, const clang::DeclRefExpr &name) const {
  if (const auto *binding = dyn_cast<clang::BindingDecl>(name.getDecl());
      binding && binding->getBinding())
    return binding->getBinding();
  chain.object = &name;
  if (const auto *variable = dyn_cast<clang::VarDecl>(name.getDecl())) {
    if (variable->getType()->isReferenceType())
      chain.root = Root::Reference;
    else if (isDeviceGlobal(*variable))
      chain.root = Root::Variable;
  }
  return nullptr;
}

Chain ChainResolver::resolve(const clang::Expr *glvalue) const {
  Chain chain;
  for (const clang::Expr *at = glvalue; at;) {
    at = throughGlvalueCasts(at);
    if (const auto *member = dyn_cast<clang::MemberExpr>(at)) {
      at = throughMember(chain, *member);
      if (at && member->isArrow()) {
        const clang::Expr *field = keptField(at);
        if (!field)
          return rootedInPointer(chain, at);
        at = field;
      }
      if (at && !at->isGLValue())
        return chain; // a member of a temporary
    } else if (const clang::Expr *pointer = pointerOf(at)) {
      at = decayedArray(pointer);
      if (!at)
        at = castField(pointer, context_.unit.ast());
      if (!at)
        return rootedInPointer(chain, pointer);
    } else if (const auto *name = dyn_cast<clang::DeclRefExpr>(at)) {
      at = throughName(chain, *name);
      if (!at && (chain.root == Root::Local || rootInArgument(chain, name)))
        return chain;
    } else if (const clang::Expr *moved = movedObject(at)) {
      at = moved;
    } else if (isTemporary(at)) {
      return chain;
    } else {
      chain.root = Root::Reference;
      chain.object = at;
      at = nullptr;
    }
  }
  setRecord(chain, elementType(chain.object->getType()), chain.object);
  return chain;
}

} // namespace relayout::instrument
