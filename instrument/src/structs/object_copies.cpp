// SPDX-License-Identifier: Apache-2.0
// Looks at one statement of a block, and at what stands before it.
#include "structs/object_copies.h"

#include "model/referents.h"

#include <clang/AST/ExprCXX.h>

#include <algorithm>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;

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

namespace {

/// The only call of cudaMemcpy to the device in a statement; null: there is none, or several.
const clang::CallExpr *copyIn(const clang::Stmt *statement) {
  const clang::CallExpr *found = nullptr;
  bool isOnly = true;
  const auto look = [&](const auto &self, const clang::Stmt *at) -> void {
    if (!at)
      return;
    if (const auto *call = dyn_cast<clang::CallExpr>(at);
        call && calleeName(call) == "cudaMemcpy" && call->getNumArgs() == 4) {
      isOnly &= !found;
      found = call;
    }
    for (const clang::Stmt *child : at->children())
      self(self, child);
  };
  look(look, statement);
  const auto *kind =
      found ? dyn_cast<clang::DeclRefExpr>(found->getArg(3)->IgnoreParenImpCasts()) : nullptr;
  return isOnly && kind && kind->getDecl()->getName() == "cudaMemcpyHostToDevice" ? found : nullptr;
}

bool pointsTo(const clang::Expr &pointer, const clang::CXXRecordDecl &record) {
  const clang::QualType type = pointer.getType();
  const clang::CXXRecordDecl *named =
      type->isPointerType() ? type->getPointeeType()->getAsCXXRecordDecl() : nullptr;
  return named && named->getCanonicalDecl() == record.getCanonicalDecl();
}

const clang::VarDecl *localIn(const clang::Expr &expression) {
  const auto *name = dyn_cast<clang::DeclRefExpr>(expression.IgnoreParenCasts());
  const auto *variable = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  return variable && variable->hasLocalStorage() ? variable : nullptr;
}

/// `sizeof(S)`, `sizeof *h`
bool isSizeOf(const clang::Expr &expression, const clang::CXXRecordDecl &record) {
  const auto *size = dyn_cast<clang::UnaryExprOrTypeTraitExpr>(expression.IgnoreParenImpCasts());
  const clang::CXXRecordDecl *named = size && size->getKind() == clang::UETT_SizeOf
                                          ? size->getTypeOfArgument()->getAsCXXRecordDecl()
                                          : nullptr;
  return named && named->getCanonicalDecl() == record.getCanonicalDecl();
}

/// The member of `cudaMemcpy(&d->f, …);`, a statement that names d once; null for all others.
const clang::ValueDecl *patchedBy(const clang::Stmt *statement, const clang::VarDecl &variable) {
  const clang::CallExpr *call = copyIn(statement);
  const auto *address =
      call ? dyn_cast<clang::UnaryOperator>(call->getArg(0)->IgnoreParenCasts()) : nullptr;
  const auto *member = address && address->getOpcode() == clang::UO_AddrOf
                           ? dyn_cast<clang::MemberExpr>(address->getSubExpr()->IgnoreParens())
                           : nullptr;
  if (!member || !member->isArrow() || localIn(*member->getBase()) != &variable)
    return nullptr;
  for (unsigned i = 1; i < call->getNumArgs(); ++i)
    if (mentions(call->getArg(i), variable))
      return nullptr;
  return member->getMemberDecl();
}

} // namespace

std::optional<CopiedObject> copiedBytesAt(const clang::CompoundStmt &block, std::size_t index,
                                          const clang::CXXRecordDecl &record,
                                          const std::set<std::string> &pointers) {
  const clang::Stmt *statement = block.body_begin()[index];
  const bool isAlwaysRun = isa<clang::Expr, clang::DeclStmt>(statement) ||
                           statement->getBeginLoc().isMacroID(); // CHECK(cudaMemcpy(…));
  const clang::CallExpr *call = isAlwaysRun ? copyIn(statement) : nullptr;
  const clang::VarDecl *variable = call ? localIn(*call->getArg(0)) : nullptr;
  const clang::Expr *from = call ? call->getArg(1)->IgnoreParenCasts() : nullptr;
  if (!variable || !pointsTo(*call->getArg(0)->IgnoreParenCasts(), record) ||
      !pointsTo(*from, record) || !isSizeOf(*call->getArg(2), record))
    return std::nullopt;
  std::set<std::string> missing = pointers;
  for (std::size_t i = index + 1; i < block.size() && !missing.empty(); ++i) {
    const clang::Stmt *behind = block.body_begin()[i];
    if (!mentions(behind, *variable))
      continue;
    const clang::ValueDecl *member = patchedBy(behind, *variable);
    if (!member)
      return std::nullopt;
    missing.erase(member->getNameAsString());
  }
  return missing.empty() ? std::optional(CopiedObject{variable, call, from}) : std::nullopt;
}

} // namespace relayout::instrument
