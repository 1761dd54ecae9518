// SPDX-License-Identifier: Apache-2.0
// Looks at one statement of a block, and at what stands before it.
#include "structs/object_copies.h"

#include "model/referents.h"
#include "relayout/base/cuda_calls.h"

#include <clang/AST/ASTContext.h>
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

/// A name or a literal.
bool isIdle(const clang::Expr &expression) {
  const clang::Expr *bare = expression.IgnoreParenCasts();
  return isa<clang::DeclRefExpr, clang::StringLiteral, clang::IntegerLiteral,
             clang::CharacterLiteral, clang::PredefinedExpr, clang::SourceLocExpr,
             clang::CXXDefaultArgExpr, clang::CXXBoolLiteralExpr, clang::CXXNullPtrLiteralExpr>(
      bare);
}

/// Of consecutive bytes, and done when it returns.
bool isCopy(const clang::Stmt *statement) {
  const auto *call = dyn_cast<clang::CallExpr>(statement);
  const CudaCall *known = call ? cudaCallNamed(calleeName(call)) : nullptr;
  return known && known->kind == CudaCallKind::Copy && known->isGenerated && !known->isOnStream;
}

/// The call of cudaMemcpy that is what a statement does first, whatever it does then.
const clang::CallExpr *firstIn(const clang::Stmt *statement) {
  if (const auto *declaration = dyn_cast_or_null<clang::DeclStmt>(statement)) {
    const auto *variable = declaration->isSingleDecl()
                               ? dyn_cast<clang::VarDecl>(declaration->getSingleDecl())
                               : nullptr;
    return variable && variable->hasLocalStorage() ? firstIn(variable->getInit()) : nullptr;
  }
  if (const auto *block = dyn_cast_or_null<clang::CompoundStmt>(statement))
    return block->body_empty() ? nullptr : firstIn(block->body_front());
  if (const auto *loop = dyn_cast_or_null<clang::DoStmt>(statement)) {
    const auto *condition = dyn_cast<clang::IntegerLiteral>(loop->getCond()->IgnoreParenImpCasts());
    return condition && condition->getValue() == 0 ? firstIn(loop->getBody()) : nullptr;
  }
  if (const auto *test = dyn_cast_or_null<clang::IfStmt>(statement))
    return test->getInit() || test->getConditionVariable() ? nullptr : firstIn(test->getCond());
  const auto *expression = dyn_cast_or_null<clang::Expr>(statement);
  if (!expression)
    return nullptr;
  expression = expression->IgnoreParenCasts();
  if (const auto *wrapper = dyn_cast<clang::FullExpr>(expression))
    return firstIn(wrapper->getSubExpr());
  if (const auto *binary = dyn_cast<clang::BinaryOperator>(expression);
      binary && (binary->getOpcode() == clang::BO_Assign || binary->isComparisonOp())) {
    if (isIdle(*binary->getLHS()))
      return firstIn(binary->getRHS());
    return isIdle(*binary->getRHS()) ? firstIn(binary->getLHS()) : nullptr;
  }
  if (const auto *unary = dyn_cast<clang::UnaryOperator>(expression);
      unary && unary->getOpcode() == clang::UO_LNot)
    return firstIn(unary->getSubExpr());
  const auto *call = dyn_cast<clang::CallExpr>(expression);
  if (!call || isCopy(call))
    return call;
  const clang::CallExpr *found = nullptr; // `check(cudaMemcpy(…), __FILE__, __LINE__)`
  for (const clang::Expr *argument : call->arguments()) {
    if (isIdle(*argument))
      continue;
    if (found || !(found = firstIn(argument)))
      return nullptr;
  }
  return found;
}

template <class Predicate> bool anyIn(const clang::Stmt *statement, const Predicate &predicate) {
  return statement && (predicate(*statement) ||
                       std::ranges::any_of(statement->children(), [&](const clang::Stmt *child) {
                         return anyIn(child, predicate);
                       }));
}

/// The call, in whole a macro's argument or in none, of a statement that makes it first and once,
/// to the device; null for all others.
const clang::CallExpr *copyIn(const clang::Stmt *statement, const clang::SourceManager &sources) {
  const clang::CallExpr *call = firstIn(statement);
  if (!call || !isCopy(call))
    return nullptr;
  const clang::SourceLocation begin = call->getBeginLoc();
  const bool isSecond =
      anyIn(statement, [&](const clang::Stmt &other) { return &other != call && isCopy(&other); });
  const auto *kind =
      dyn_cast<clang::DeclRefExpr>(call->getArg(call->getNumArgs() - 1)->IgnoreParenImpCasts());
  return !isSecond && (!begin.isMacroID() || sources.isMacroArgExpansion(begin)) && kind &&
                 kind->getDecl()->getName().ends_with("HostToDevice")
             ? call
             : nullptr;
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
  const clang::CallExpr *call = copyIn(statement, variable.getASTContext().getSourceManager());
  const auto *address =
      call ? dyn_cast<clang::UnaryOperator>(call->getArg(0)->IgnoreParenCasts()) : nullptr;
  const auto *member = address && address->getOpcode() == clang::UO_AddrOf
                           ? dyn_cast<clang::MemberExpr>(address->getSubExpr()->IgnoreParens())
                           : nullptr;
  if (!member || !member->isArrow() || localIn(*member->getBase()) != &variable)
    return nullptr;
  for (unsigned i = 1; i < call->getNumArgs(); ++i)
    if (!isa<clang::UnaryExprOrTypeTraitExpr>(call->getArg(i)->IgnoreParenImpCasts()) &&
        mentions(call->getArg(i), variable))
      return nullptr;
  return member->getMemberDecl();
}

} // namespace

std::optional<CopiedObject> copiedBytesAt(const clang::CompoundStmt &block, std::size_t index,
                                          const clang::CXXRecordDecl &record,
                                          const std::set<std::string> &pointers) {
  const clang::CallExpr *call =
      copyIn(block.body_begin()[index], record.getASTContext().getSourceManager());
  const clang::VarDecl *variable = call ? localIn(*call->getArg(0)) : nullptr;
  const clang::Expr *from = call ? call->getArg(1)->IgnoreParenCasts() : nullptr;
  if (!variable || !pointsTo(*call->getArg(0)->IgnoreParenCasts(), record) ||
      !pointsTo(*from, record) || !isSizeOf(*call->getArg(2), record))
    return std::nullopt;
  std::set<std::string> missing = pointers;
  for (std::size_t i = index + 1; i < block.size() && !missing.empty(); ++i) {
    const clang::Stmt *behind = block.body_begin()[i];
    if (anyIn(behind, [](const clang::Stmt &part) { return isa<clang::CUDAKernelCallExpr>(part); }))
      return std::nullopt; // which may know d by another name
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
