// SPDX-License-Identifier: Apache-2.0
// What may happen to a field: it may be read, written and passed on, but nobody may keep its
// address, from which the next field or record could be reached.
#include "rules/uses.h"

#include <clang/AST/ASTContext.h>

#include <fmt/format.h>

#include <array>

namespace relayout::rewriter {
namespace {

using clang::cast;
using clang::dyn_cast;
using clang::isa;

/// Functions of CUDA's headers that read global memory once, past its usual cache.
bool isReadOnlyLoad(const std::string &name) {
  return name.starts_with("__ldg") || name.starts_with("__ldc");
}

/// Functions of CUDA's headers that write through an address, and forget it.
bool forgetsAddresses(const std::string &name) {
  if (name.starts_with("atomic"))
    return true;
  static constexpr std::array<std::string_view, 10> kResults = {
      "sincosf", "sincos", "sincospif", "sincospi", "modff",
      "modf",    "frexpf", "frexp",     "remquof",  "remquo"};
  for (const std::string_view known : kResults)
    if (name == known)
      return true;
  return name.starts_with("__stc") || name.starts_with("__stw");
}

const char *const kKeptRemedy = "keep the array and the index, and name the field at each use";

} // namespace

/// \param isValue  the field is read through a view of const records, which yields a value
void UseRewriter::field(Use &use, const clang::Expr *current, bool isValue) {
  while (true) {
    const Parent around = program_.index.parentOf(current);
    if (const auto *variable = dyn_cast_or_null<clang::VarDecl>(around.decl);
        variable && variable->getInit() == current && variable->getType()->isReferenceType()) {
      if (isValue)
        return refuse(use, Code::FieldAddressEscapes,
                      "a reference to a field of const records is kept", variable->getLocation(),
                      "copy the value instead");
      if (!variable->getType().getNonReferenceType().isConstQualified() && use.function)
        storing_.insert(use.function);
      return referenceTo(use, *variable, current, isValue);
    }
    if (around.inType)
      return refuse(use, Code::UnsupportedElementUse, "a type is taken from a field",
                    current->getExprLoc(), "write the type out");
    const clang::Stmt *parent = around.stmt;
    if (!parent)
      break;
    if (isa<clang::ParenExpr, clang::FullExpr>(parent)) {
      current = cast<clang::Expr>(parent);
      continue;
    }
    if (const auto *conversion = dyn_cast<clang::CastExpr>(parent)) {
      switch (conversion->getCastKind()) {
      case clang::CK_LValueToRValue:
      case clang::CK_ToVoid:
        return;
      case clang::CK_NoOp:
      case clang::CK_DerivedToBase:
      case clang::CK_UncheckedDerivedToBase:
        if (isa<clang::ImplicitCastExpr>(conversion)) {
          current = conversion;
          continue;
        }
        break;
      case clang::CK_ArrayToPointerDecay: {
        const clang::Stmt *outer = program_.index.parentOf(conversion).stmt;
        const auto *subscript = dyn_cast_or_null<clang::ArraySubscriptExpr>(outer);
        const auto *dereference = dyn_cast_or_null<clang::UnaryOperator>(outer);
        if ((subscript && subscript->getBase() == conversion) ||
            (dereference && dereference->getOpcode() == clang::UO_Deref)) {
          current = cast<clang::Expr>(outer);
          continue;
        }
        return refuse(use, Code::FieldAddressEscapes, "an array field decays to a pointer",
                      current->getExprLoc(), "subscript it where it stands");
      }
      default:
        break;
      }
      return refuse(use, Code::FieldAddressEscapes, "a field is cast to another type",
                    conversion->getExprLoc(), "read it by its own type");
    }
    if (const auto *member = dyn_cast<clang::MemberExpr>(parent); member && !member->isArrow()) {
      if (isa<clang::FieldDecl>(member->getMemberDecl())) {
        if (member->getMemberDecl()->getType()->isReferenceType())
          return;
        current = member;
        continue;
      }
      const auto *method = dyn_cast<clang::CXXMethodDecl>(member->getMemberDecl());
      const auto *call =
          dyn_cast_or_null<clang::CXXMemberCallExpr>(program_.index.parentOf(member).stmt);
      if (method && method->isStatic())
        return;
      if (!method || !call || method->getReturnType()->isPointerType())
        return refuse(use, Code::FieldAddressEscapes, "a method of a field may keep its address",
                      member->getExprLoc(), kKeptRemedy);
      if (!method->isConst() && use.function)
        storing_.insert(use.function);
      if (!method->getReturnType()->isReferenceType())
        return;
      current = call;
      continue;
    }
    if (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(parent);
        subscript && subscript->getBase() == current) {
      current = subscript;
      continue;
    }
    if (const auto *unary = dyn_cast<clang::UnaryOperator>(parent)) {
      if (unary->getOpcode() == clang::UO_AddrOf)
        return fieldAddress(use, unary, isValue);
      if (unary->isIncrementDecrementOp()) {
        if (use.function)
          storing_.insert(use.function);
        if (unary->isPostfix())
          return;
        current = unary;
        continue;
      }
      break;
    }
    if (const auto *binary = dyn_cast<clang::BinaryOperator>(parent)) {
      const bool isLeft = binary->getLHS() == current;
      if (binary->isAssignmentOp() && isLeft) {
        if (use.function)
          storing_.insert(use.function);
        if (isDiscarded(binary))
          return;
        current = binary;
        continue;
      }
      if (binary->getOpcode() == clang::BO_Comma) {
        if (isLeft)
          return;
        current = binary;
        continue;
      }
      break;
    }
    if (const auto *choice = dyn_cast<clang::ConditionalOperator>(parent);
        choice && choice->getCond() != current) {
      current = choice;
      continue;
    }
    if (const auto *construction = dyn_cast<clang::CXXConstructExpr>(parent)) {
      const clang::CXXConstructorDecl *constructor = construction->getConstructor();
      if (constructor->isCopyOrMoveConstructor())
        return;
      for (unsigned i = 0; i < construction->getNumArgs() && i < constructor->getNumParams(); ++i)
        if (construction->getArg(i) == current && isUsers(program_, *constructor)) {
          if (isValue)
            requireNoOverload(use, *constructor, current->getExprLoc());
          return referenceTo(use, *constructor->getParamDecl(i), current, isValue);
        }
      break;
    }
    if (const auto *call = dyn_cast<clang::CallExpr>(parent)) {
      fieldInCall(use, current, *call, isValue);
      const clang::FunctionDecl *callee = call->getDirectCallee();
      if (use.refused || !callee || !callee->getReturnType()->isReferenceType() ||
          isDiscarded(call))
        return;
      current = call; // it may return what it was given
      continue;
    }
    if (isa<clang::UnaryExprOrTypeTraitExpr, clang::CXXNoexceptExpr, clang::LambdaExpr>(parent))
      return;
    if (!isa<clang::Expr, clang::ReturnStmt>(parent) && isDiscarded(current))
      return;
    break;
  }
  refuse(use, Code::FieldAddressEscapes, "a field is used in a way that may keep its address",
         current->getExprLoc(), kKeptRemedy);
}

void UseRewriter::fieldInCall(Use &use, const clang::Expr *current, const clang::CallExpr &call,
                              bool isValue) {
  const clang::FunctionDecl *callee = call.getDirectCallee();
  if (!callee || callee->getReturnType()->isPointerType())
    return refuse(use, Code::FieldAddressEscapes,
                  "a field is passed by reference to a function that is not seen",
                  current->getExprLoc(), "pass its value");
  const clang::ParmVarDecl *parameter = parameterFor(call, *current);
  const auto *method = dyn_cast<clang::CXXMethodDecl>(callee);
  const bool isObject =
      !parameter && method && isa<clang::CXXOperatorCallExpr>(call) && call.getArg(0) == current;
  const bool changes =
      isObject ? !method->isConst()
               : parameter && !parameter->getType().getNonReferenceType().isConstQualified();
  if (changes && use.function)
    storing_.insert(use.function);
  if (isObject)
    return;
  if (!parameter)
    return refuse(use, Code::FieldAddressEscapes,
                  "a field is passed by reference to a function that is not seen",
                  current->getExprLoc(), "pass its value");
  if (isUsers(program_, *callee)) {
    if (isValue) {
      requireNoStores(use, callee, current->getExprLoc());
      requireNoOverload(use, *callee, current->getExprLoc());
    }
    return referenceTo(use, *parameter, current, isValue);
  }
  // A library function may return the reference, which the climb follows, or hide it in an object.
  const clang::QualType result = callee->getReturnType();
  const bool returnsPlain =
      result->isVoidType() || result->isArithmeticType() || result->isEnumeralType() ||
      (result->isReferenceType() && result.getNonReferenceType().getUnqualifiedType() ==
                                        current->getType().getUnqualifiedType());
  if (!returnsPlain)
    refuse(use, Code::FieldAddressEscapes,
           fmt::format("a field is passed by reference to '{}'", callee->getNameAsString()),
           current->getExprLoc(), "pass its value");
}

/// Follows a reference that is bound to a field: what is done with it is done with the field.
void UseRewriter::referenceTo(Use &use, const clang::VarDecl &variable, const clang::Expr *from,
                              bool isValue) {
  const auto *parameter = dyn_cast<clang::ParmVarDecl>(&variable);
  const clang::VarDecl *followed = &variable;
  if (parameter) {
    const auto *function = dyn_cast<clang::FunctionDecl>(parameter->getDeclContext());
    const clang::FunctionDecl *body = function ? function->getDefinition() : nullptr;
    if (!body)
      return refuse(use, Code::FieldAddressEscapes,
                    "a field is passed by reference to a function that is not seen",
                    from->getExprLoc(), "pass its value");
    followed = body->getParamDecl(parameter->getFunctionScopeIndex());
  }
  if (!followed_.insert({followed, isValue}).second)
    return;
  for (const clang::DeclRefExpr *name : program_.index.referencesTo(followed)) {
    Use inner{name, use.target, program_.index.functionAround(name), {}, false, true};
    field(inner, name, isValue);
    use.refused |= inner.refused;
  }
}

/// `__ldg(&p[i].x)` of const records becomes `p.x(i)`, which yields a value and no address.
void UseRewriter::dropLoad(Use &use, const clang::CallExpr &call, const clang::Expr &address) {
  const auto *sign = cast<clang::UnaryOperator>(&address);
  const std::optional<clang::SourceLocation> callee =
      reader_.spelled(call.getCallee()->getExprLoc());
  const std::optional<clang::Token> paren = callee ? reader_.tokenAfter(*callee) : std::nullopt;
  const auto *field = dyn_cast<clang::MemberExpr>(sign->getSubExpr());
  if (use.followed || !paren || call.getNumArgs() != 1 ||
      call.getArg(0)->IgnoreImpCasts() != &address || !field)
    return refuse(use, Code::FieldAddressEscapes,
                  "the address of a field of const records is taken", address.getExprLoc(),
                  "name the field without its address");
  if (replaceToken(use, *callee, call.getDirectCallee()->getNameAsString(), "") &&
      replaceToken(use, paren->getLocation(), "(", "") &&
      replaceToken(use, sign->getOperatorLoc(), "&", ""))
    replaceToken(use, call.getRParenLoc(), ")", "");
}

void UseRewriter::fieldAddress(Use &use, const clang::Expr *address, bool isValue) {
  const clang::Expr *current = address;
  while (const clang::Stmt *parent = program_.index.parentOf(current).stmt) {
    if (isa<clang::ParenExpr>(parent)) {
      current = cast<clang::Expr>(parent);
      continue;
    }
    if (const auto *conversion = dyn_cast<clang::CastExpr>(parent)) {
      const clang::ASTContext &context = program_.unit.ast();
      const clang::QualType from = current->getType()->getPointeeType();
      const clang::QualType into = conversion->getType()->getPointeeType();
      // atomicCAS on the bits of a float or double: the same bytes, by another name.
      if (!into.isNull() && !into->isVoidType() && !into->isIncompleteType() &&
          context.getTypeSize(from) == context.getTypeSize(into)) {
        current = conversion;
        continue;
      }
      break;
    }
    if (const auto *call = dyn_cast<clang::CallExpr>(parent)) {
      const std::string name = runtimeName(program_, *call);
      if (isReadOnlyLoad(name))
        return isValue ? dropLoad(use, *call, *address) : void();
      if (forgetsAddresses(name)) {
        if (use.function)
          storing_.insert(use.function);
        return;
      }
    }
    break;
  }
  refuse(use, Code::FieldAddressEscapes, "the address of a field is taken", address->getExprLoc(),
         kKeptRemedy);
}

} // namespace relayout::rewriter
