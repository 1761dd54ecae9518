// SPDX-License-Identifier: Apache-2.0
// Finds parameters that are only read, and makes them const.
#include "legality/constant_references.h"

#include <algorithm>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;

bool isReferenceToConst(const clang::ParmVarDecl *parameter) {
  return parameter && parameter->getType()->isLValueReferenceType() &&
         parameter->getType().getNonReferenceType().isConstQualified();
}

/// The parameter of a constructor that an argument initialises.
const clang::ParmVarDecl *constructedParameter(const clang::CXXConstructExpr &construction,
                                               const clang::Expr &argument) {
  for (unsigned i = 0; i < construction.getNumArgs(); ++i)
    if (construction.getArg(i) == &argument && i < construction.getConstructor()->getNumParams())
      return construction.getConstructor()->getParamDecl(i);
  return nullptr;
}

/// `r.x[k]` of an array member's place, where the cast around it is to a pointer.
const clang::Expr *subscriptAt(const ParentIndex &index, const clang::Expr &decay) {
  const auto *subscript = dyn_cast_or_null<clang::ArraySubscriptExpr>(index.parentOf(&decay).stmt);
  return subscript && subscript->getBase() == &decay ? subscript : nullptr;
}

/// True where what an lvalue names, or part of it, is read or bound to a reference to const.
bool isReadAt(const ParentIndex &index, const clang::Expr *lvalue) {
  while (lvalue) {
    const clang::Stmt *around = index.parentOf(lvalue).stmt;
    if (const auto *parens = dyn_cast_or_null<clang::ParenExpr>(around)) {
      lvalue = parens;
    } else if (const auto *member = dyn_cast_or_null<clang::MemberExpr>(around)) {
      const auto *field = dyn_cast<clang::FieldDecl>(member->getMemberDecl());
      const auto *method = dyn_cast<clang::CXXMethodDecl>(member->getMemberDecl());
      if (method)
        return method->isConst();
      if (!field || field->getType()->isReferenceType())
        return false;
      lvalue = member;
    } else if (const auto *conversion = dyn_cast_or_null<clang::ImplicitCastExpr>(around)) {
      if (conversion->getCastKind() == clang::CK_LValueToRValue)
        return true;
      if (conversion->getCastKind() == clang::CK_NoOp)
        return conversion->getType().isConstQualified();
      lvalue = conversion->getCastKind() == clang::CK_ArrayToPointerDecay
                   ? subscriptAt(index, *conversion)
               : conversion->getCastKind() == clang::CK_DerivedToBase ||
                       conversion->getCastKind() == clang::CK_UncheckedDerivedToBase
                   ? conversion
                   : nullptr;
    } else if (const auto *construction = dyn_cast_or_null<clang::CXXConstructExpr>(around)) {
      return isReferenceToConst(constructedParameter(*construction, *lvalue));
    } else if (const auto *call = dyn_cast_or_null<clang::CallExpr>(around)) {
      return isReferenceToConst(parameterFor(*call, *lvalue));
    } else {
      return false;
    }
  }
  return false;
}

/// True where the name is that of what a call calls.
bool isCalleeAt(const ParentIndex &index, const clang::Expr &name) {
  const clang::Stmt *current = &name;
  const clang::Stmt *around = index.parentOf(current).stmt;
  while (isa_and_nonnull<clang::ImplicitCastExpr, clang::ParenExpr>(around)) {
    current = around;
    around = index.parentOf(current).stmt;
  }
  const auto *call = dyn_cast_or_null<clang::CallExpr>(around);
  return call && call->getCallee() == current;
}

/// Another type of the parameter makes another function of it: no other has the name, and nothing
/// but calls in this unit depends on its type.
bool mayChangeItsType(const Program &program, const clang::FunctionDecl &function) {
  const clang::FunctionDecl &canonical = *function.getCanonicalDecl();
  const auto *method = dyn_cast<clang::CXXMethodDecl>(&function);
  const bool isOwn = program.isAlone || !function.isExternallyVisible();
  if (!isOwn || (method && method->isVirtual()) || function.isExternC() ||
      function.isOverloadedOperator() || function.isTemplated() ||
      function.isTemplateInstantiation() || function.hasAttr<clang::CUDAGlobalAttr>() ||
      std::ranges::any_of(
          function.getDeclContext()->lookup(function.getDeclName()),
          [&](const clang::NamedDecl *other) { return other->getCanonicalDecl() != &canonical; }))
    return false;
  return std::ranges::all_of(program.index.namings(), [&](const Naming &naming) {
    const auto *name = dyn_cast<clang::DeclRefExpr>(naming.expression);
    return !name || name->getDecl()->getCanonicalDecl() != &canonical ||
           isCalleeAt(program.index, *name);
  });
}

} // namespace

bool mayBeConst(const Program &program, const clang::ParmVarDecl &parameter) {
  const auto *function = dyn_cast<clang::FunctionDecl>(parameter.getDeclContext());
  const clang::FunctionDecl *body = function ? function->getDefinition() : nullptr;
  const clang::QualType value = parameter.getType().getNonReferenceType();
  if (!body || !body->hasBody() || !isUsers(program, *body) ||
      !parameter.getType()->isLValueReferenceType() || value.isConstQualified() ||
      value.isVolatileQualified())
    return false;
  const clang::ParmVarDecl &own = *body->getParamDecl(parameter.getFunctionScopeIndex());
  return std::ranges::all_of(
             program.index.referencesTo(&own),
             [&](const clang::DeclRefExpr *use) { return isReadAt(program.index, use); }) &&
         mayChangeItsType(program, *body);
}

bool makeConst(Program &program, const clang::ParmVarDecl &parameter) {
  const auto &function = *clang::cast<clang::FunctionDecl>(parameter.getDeclContext());
  return std::ranges::all_of(function.redecls(), [&](const clang::FunctionDecl *declared) {
    const clang::ParmVarDecl &own = *declared->getParamDecl(parameter.getFunctionScopeIndex());
    const std::optional<FilePlace> place = program.reader.place(own.getBeginLoc());
    return place &&
           program.edits.add(*place, {{FileRange{*place, place->offset}, "const ", {1, 0}}});
  });
}

} // namespace relayout::rewriter
