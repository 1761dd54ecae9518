// SPDX-License-Identifier: Apache-2.0
// Climbs from a member to the object it is a part of, and compares what is read and written.
#include "legality/object_parts.h"

#include "legality/accessors.h"
#include "legality/library_functions.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>

#include <algorithm>
#include <set>

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::isa;

std::string joined(const std::string &outer, const std::string &inner) {
  return outer.empty() || inner.empty() ? outer + inner : outer + "." + inner;
}

bool isToBase(const clang::CastExpr &conversion) {
  return conversion.getCastKind() == clang::CK_DerivedToBase ||
         conversion.getCastKind() == clang::CK_UncheckedDerivedToBase;
}

bool keepsPointer(const clang::CastExpr &conversion) {
  const clang::QualType from = conversion.getSubExpr()->getType(), into = conversion.getType();
  if (!clang::isa<clang::CStyleCastExpr, clang::CXXNamedCastExpr>(conversion) ||
      !from->isPointerType() || !into->isPointerType())
    return false;
  const clang::QualType source = from->getPointeeType().getCanonicalType();
  const clang::QualType target = into->getPointeeType().getCanonicalType();
  return source.getUnqualifiedType() == target.getUnqualifiedType() && !source->isPointerType() &&
         !source->isVoidType() && (target.isConstQualified() || !source.isConstQualified()) &&
         source.isVolatileQualified() == target.isVolatileQualified();
}

bool keepsBytes(const clang::ASTContext &context, const clang::CastExpr &conversion) {
  const clang::QualType from = conversion.getSubExpr()->getType(), into = conversion.getType();
  if (!clang::isa<clang::CStyleCastExpr, clang::CXXNamedCastExpr>(conversion) ||
      !from->isPointerType() || !into->isPointerType())
    return false;
  const clang::QualType source = from->getPointeeType(), target = into->getPointeeType();
  return target->isObjectType() && !target->isIncompleteType() && !target->isPointerType() &&
         context.getTypeSize(source) == context.getTypeSize(target) &&
         context.getTypeAlign(source) >= context.getTypeAlign(target) &&
         (target.isConstQualified() || !source.isConstQualified());
}

std::optional<Root> rootOf(const clang::Expr *glvalue) {
  std::string path;
  while (true) {
    glvalue = glvalue->IgnoreParens();
    if (const auto *member = dyn_cast<clang::MemberExpr>(glvalue)) {
      const auto *field = dyn_cast<clang::FieldDecl>(member->getMemberDecl());
      if (!field || field->getType()->isReferenceType())
        return std::nullopt;
      if (!field->isAnonymousStructOrUnion())
        path = joined(field->getNameAsString(), path);
      if (!member->isArrow()) {
        glvalue = member->getBase();
        continue;
      }
      if (isa<clang::CXXThisExpr>(member->getBase()->IgnoreParenImpCasts()))
        return Root{nullptr, true, path};
      return std::nullopt;
    }
    if (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(glvalue)) {
      const auto *decay = dyn_cast<clang::ImplicitCastExpr>(subscript->getBase()->IgnoreParens());
      if (!decay || decay->getCastKind() != clang::CK_ArrayToPointerDecay)
        return std::nullopt;
      path = joined("[]", path);
      glvalue = decay->getSubExpr();
      continue;
    }
    if (const auto *conversion = dyn_cast<clang::ImplicitCastExpr>(glvalue)) {
      if (conversion->getCastKind() != clang::CK_NoOp && !isToBase(*conversion))
        return std::nullopt;
      glvalue = conversion->getSubExpr();
      continue;
    }
    if (const auto *call = dyn_cast<clang::CallExpr>(glvalue)) {
      if (isForwardCall(*call)) {
        glvalue = call->getArg(0);
        continue;
      }
      const AccessedPart accessed = accessedPart(*call);
      const std::optional<Root> inner = accessed.part ? rootOf(accessed.part) : std::nullopt;
      if (!inner || !inner->isThis)
        return std::nullopt;
      path = joined(inner->path, path);
      if (isa<clang::CXXThisExpr>(accessed.object->IgnoreParenImpCasts()))
        return Root{nullptr, true, path};
      glvalue = accessed.object;
      continue;
    }
    if (const auto *unary = dyn_cast<clang::UnaryOperator>(glvalue);
        unary && unary->getOpcode() == clang::UO_Deref &&
        isa<clang::CXXThisExpr>(unary->getSubExpr()->IgnoreParenImpCasts()))
      return Root{nullptr, true, path};
    if (const auto *name = dyn_cast<clang::DeclRefExpr>(glvalue))
      if (const auto *variable = dyn_cast<clang::VarDecl>(name->getDecl()))
        return Root{variable, false, path};
    return std::nullopt;
  }
}

bool isUnder(const std::string &path, const std::string &prefix) {
  return prefix.empty() || path == prefix || path.starts_with(prefix + ".");
}

namespace {

/// The field of the object, or of the parameter, that a member names; empty for anything else.
std::string fieldOf(const clang::Stmt &expression, const clang::VarDecl *variable) {
  const auto *member = dyn_cast<clang::MemberExpr>(&expression);
  const std::optional<Root> root = member ? rootOf(member) : std::nullopt;
  if (!root || (variable ? root->variable != variable : !root->isThis))
    return {};
  return root->path;
}

void collectFields(const clang::Stmt *statement, const clang::VarDecl *variable,
                   std::set<std::string> &fields, bool &isPlain) {
  if (!statement)
    return;
  if (const std::string field = fieldOf(*statement, variable); !field.empty()) {
    fields.insert(field);
    return;
  }
  const auto *name = dyn_cast<clang::DeclRefExpr>(statement);
  if (isa<clang::CallExpr>(statement) || (name && name->getDecl() == variable) ||
      (!variable && isa<clang::CXXThisExpr>(statement)))
    isPlain = false;
  for (const clang::Stmt *child : statement->children())
    collectFields(child, variable, fields, isPlain);
}

/// True where a statement names the variable, or the object that a method is called on.
bool names(const clang::Stmt *statement, const clang::VarDecl *variable) {
  if (!statement)
    return false;
  const auto *name = dyn_cast<clang::DeclRefExpr>(statement);
  if ((name && name->getDecl() == variable) || (!variable && isa<clang::CXXThisExpr>(statement)))
    return true;
  return std::ranges::any_of(statement->children(), [variable](const clang::Stmt *child) {
    return names(child, variable);
  });
}

} // namespace

bool readsBeforeWrites(const clang::FunctionDecl &function, int object, int read) {
  const auto *body = dyn_cast_or_null<clang::CompoundStmt>(function.getBody());
  if (!body)
    return false;
  const clang::VarDecl *changed =
      object >= 0 ? function.getParamDecl(static_cast<unsigned>(object)) : nullptr;
  const clang::VarDecl *other = function.getParamDecl(static_cast<unsigned>(read));
  std::set<std::string> written;
  for (const clang::Stmt *statement : body->body()) {
    if (isa<clang::ReturnStmt>(statement))
      continue; // of a reference to the object
    if (written.empty() && !names(statement, changed))
      continue; // computes what is written later
    const auto *assignment = dyn_cast<clang::BinaryOperator>(statement);
    const std::string field = assignment && assignment->isAssignmentOp()
                                  ? fieldOf(*assignment->getLHS()->IgnoreParens(), changed)
                                  : std::string();
    bool isPlain = !field.empty();
    std::set<std::string> fields;
    if (isPlain)
      collectFields(assignment->getRHS(), other, fields, isPlain);
    if (!isPlain || std::ranges::any_of(fields, [&](const std::string &name) {
          return std::ranges::any_of(written, [&](const std::string &before) {
            return isUnder(name, before) || isUnder(before, name);
          });
        }))
      return false;
    written.insert(field);
  }
  return true;
}

clang::QualType behindPointer(const clang::Expr *glvalue) {
  const clang::Expr *part = glvalue->IgnoreParenImpCasts();
  if (const auto *member = clang::dyn_cast<clang::MemberExpr>(part))
    return member->isArrow() ? member->getBase()->getType()->getPointeeType()
                             : behindPointer(member->getBase());
  if (const auto *subscript = clang::dyn_cast<clang::ArraySubscriptExpr>(part)) {
    const clang::Expr *array = subscript->getBase()->IgnoreParenImpCasts();
    return array->getType()->isArrayType() ? behindPointer(array) : part->getType();
  }
  const auto *unary = clang::dyn_cast<clang::UnaryOperator>(part);
  return unary && unary->getOpcode() == clang::UO_Deref ? part->getType() : clang::QualType();
}

namespace {

/// True where an object of a class has one of another as a base, or inside a member.
bool mayHold(const clang::CXXRecordDecl &outer, const clang::CXXRecordDecl &inner) {
  if (declaresSameEntity(&outer, &inner) || !outer.hasDefinition())
    return true;
  const auto mayBe = [&](clang::QualType type) {
    const clang::CXXRecordDecl *record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    return record && mayHold(*record, inner);
  };
  for (const clang::CXXBaseSpecifier &base : outer.bases())
    if (mayBe(base.getType()))
      return true;
  return std::ranges::any_of(outer.getDefinition()->fields(), [&](const clang::FieldDecl *field) {
    return mayBe(field->getType());
  });
}

} // namespace

bool areApart(const clang::CXXRecordDecl &one, const clang::CXXRecordDecl &other) {
  return !mayHold(one, other) && !mayHold(other, one);
}

} // namespace relayout::rewriter
