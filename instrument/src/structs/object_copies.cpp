// SPDX-License-Identifier: Apache-2.0
// Looks at one statement of a block, and at what stands before it.
#include "structs/object_copies.h"

#include <clang/AST/ExprCXX.h>

#include <algorithm>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;

bool mentions(const clang::Stmt *statement, const clang::VarDecl &variable) {
  if (!statement)
    return false;
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(statement))
    return name->getDecl() == &variable;
  return std::ranges::any_of(statement->children(),
                             [&](const clang::Stmt *child) { return mentions(child, variable); });
}

/// The variable, if the block declares it and has not used it before the statement.
const clang::VarDecl *declaredUnused(const clang::Expr &named, const clang::CompoundStmt &block,
                                     std::size_t index) {
  const auto *name = dyn_cast<clang::DeclRefExpr>(named.IgnoreParenImpCasts());
  const auto *variable = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  for (std::size_t i = index; variable && i-- != 0;) {
    const clang::Stmt *before = block.body_begin()[i];
    if (mentions(before, *variable))
      return nullptr;
    if (const auto *declaration = dyn_cast<clang::DeclStmt>(before))
      for (const clang::Decl *declared : declaration->decls())
        if (declared == variable)
          return variable;
  }
  return nullptr;
}

std::optional<CopiedObject> initialised(const clang::DeclStmt &declaration) {
  const auto *variable =
      declaration.isSingleDecl() ? dyn_cast<clang::VarDecl>(declaration.getSingleDecl()) : nullptr;
  const auto *construction =
      variable && variable->hasInit()
          ? dyn_cast<clang::CXXConstructExpr>(variable->getInit()->IgnoreImplicit())
          : nullptr;
  if (!construction || construction->getNumArgs() != 1)
    return std::nullopt;
  return CopiedObject{variable, variable->getInit(), construction->getArg(0)};
}

} // namespace

std::optional<CopiedObject> copyAt(const clang::CompoundStmt &block, std::size_t index) {
  const clang::Stmt *statement = block.body_begin()[index];
  std::optional<CopiedObject> copy;
  if (const auto *declaration = dyn_cast<clang::DeclStmt>(statement))
    copy = initialised(*declaration);
  if (const auto *call = dyn_cast<clang::CXXOperatorCallExpr>(statement);
      call && call->getOperator() == clang::OO_Equal && call->getNumArgs() == 2)
    copy = {declaredUnused(*call->getArg(0), block, index), call, call->getArg(1)};
  if (!copy || !copy->variable || !copy->variable->hasLocalStorage() ||
      copy->variable->getType().isVolatileQualified())
    return std::nullopt;
  copy->value = copy->value->IgnoreParenImpCasts();
  return copy->value->isLValue() ? copy : std::nullopt;
}

} // namespace relayout::instrument
