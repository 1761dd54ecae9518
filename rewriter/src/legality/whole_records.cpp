// SPDX-License-Identifier: Apache-2.0
// Whether a number of bytes is one of whole records.
#include "legality/whole_records.h"

#include "relayout/instrument/clang/scalar_records.h"

#include <clang/AST/ASTContext.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;

/// True when all uses of the variable read it.
bool isOnlyRead(const Program &program, const clang::VarDecl &variable) {
  return std::ranges::all_of(
      program.index.referencesTo(&variable), [&program](const clang::DeclRefExpr *use) {
        const auto *read =
            dyn_cast_or_null<clang::ImplicitCastExpr>(program.index.parentOf(use).stmt);
        return read && read->getCastKind() == clang::CK_LValueToRValue;
      });
}

} // namespace

bool countsWholeRecords(const Program &program, const clang::Expr &bytes,
                        const clang::CXXRecordDecl &record) {
  if (!bytes.getType()->isIntegerType())
    return false;
  const clang::Expr *count = bytes.IgnoreParenCasts();
  const auto whole = [&](const clang::Expr *part) {
    return countsWholeRecords(program, *part, record);
  };
  if (const auto *size = dyn_cast<clang::UnaryExprOrTypeTraitExpr>(count)) {
    const clang::CXXRecordDecl *counted = instrument::elementRecordOf(
        clang::QualType(size->getTypeOfArgument()->getBaseElementTypeUnsafe(), 0));
    return size->getKind() == clang::UETT_SizeOf && counted &&
           counted->getCanonicalDecl() == record.getCanonicalDecl();
  }
  if (const auto *operation = dyn_cast<clang::BinaryOperator>(count)) {
    if (operation->getOpcode() == clang::BO_Mul)
      return whole(operation->getLHS()) || whole(operation->getRHS());
    return operation->isAdditiveOp() && whole(operation->getLHS()) && whole(operation->getRHS());
  }
  const auto *name = dyn_cast<clang::DeclRefExpr>(count);
  const auto *variable = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  return variable && variable->getInit() && isOnlyRead(program, *variable) &&
         whole(variable->getInit());
}

} // namespace relayout::rewriter
