// SPDX-License-Identifier: Apache-2.0
#include "legality/size_uses.h"

#include <clang/AST/ExprCXX.h>

#include <set>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;
using clang::dyn_cast_or_null;
using clang::isa;

constexpr std::string_view kUsed = "is used as a number";

/// True for a quotient of the sizes of an array and its elements: `sizeof(all) / sizeof(all[0])`.
bool countsElements(const clang::BinaryOperator &division) {
  const auto elementOf = [](const clang::Expr *side) -> const clang::Type * {
    const auto *size = dyn_cast<clang::UnaryExprOrTypeTraitExpr>(side->IgnoreParenCasts());
    return size ? size->getTypeOfArgument()
                      ->getBaseElementTypeUnsafe()
                      ->getUnqualifiedDesugaredType()
                : nullptr;
  };
  const clang::Type *element = elementOf(division.getLHS());
  return element && element == elementOf(division.getRHS());
}

class SizeUses {
public:
  explicit SizeUses(const ParentIndex &index) : index_(index) {}

  std::string_view of(const clang::Expr &size) {
    const clang::Expr *current = &size;
    for (;;) {
      const Parent parent = index_.parentOf(current);
      if (const auto *variable = dyn_cast_or_null<clang::VarDecl>(parent.decl))
        return ofVariable(*variable);
      const auto *outer = dyn_cast_or_null<clang::Expr>(parent.stmt);
      if (!outer || parent.inType)
        return kUsed;
      if (const auto *operation = dyn_cast<clang::BinaryOperator>(outer);
          operation && !operation->isAdditiveOp() && operation->getOpcode() != clang::BO_Mul)
        return ofOperation(*operation, *current);
      if (isa<clang::CXXNewExpr, clang::CXXConstructExpr>(outer))
        return {};
      if (const auto *call = dyn_cast<clang::CallExpr>(outer))
        return ofCall(*call);
      if (!isa<clang::CastExpr, clang::ParenExpr, clang::BinaryOperator, clang::ConstantExpr>(
              outer))
        return kUsed;
      current = outer;
    }
  }

private:
  std::string_view ofOperation(const clang::BinaryOperator &operation, const clang::Expr &operand) {
    if (operation.isComparisonOp())
      return {};
    if (operation.getOpcode() == clang::BO_Div || operation.getOpcode() == clang::BO_Rem)
      return countsElements(operation)        ? std::string_view{}
             : operation.getRHS() == &operand ? "is divided by"
                                              : "is divided";
    const auto *target = operation.isAssignmentOp() && operation.getRHS() == &operand
                             ? dyn_cast<clang::DeclRefExpr>(operation.getLHS()->IgnoreParens())
                             : nullptr;
    const auto *variable = target ? dyn_cast<clang::VarDecl>(target->getDecl()) : nullptr;
    return variable ? ofVariable(*variable) : kUsed;
  }

  static std::string_view ofCall(const clang::CallExpr &call) {
    if (const auto *shift = dyn_cast<clang::CXXOperatorCallExpr>(&call))
      return shift->getOperator() == clang::OO_LessLess ? "is printed" : kUsed;
    const clang::FunctionDecl *callee = call.getDirectCallee();
    return callee && callee->isVariadic() ? "is printed" : std::string_view{};
  }

  std::string_view ofVariable(const clang::VarDecl &variable) {
    if (!seen_.insert(&variable).second)
      return {};
    for (const clang::DeclRefExpr *reference : index_.referencesTo(&variable)) {
      const auto *assignment =
          dyn_cast_or_null<clang::BinaryOperator>(index_.parentOf(reference).stmt);
      if (assignment && assignment->isAssignmentOp() && assignment->getLHS() == reference) {
        const clang::BinaryOperatorKind kind = assignment->getOpcode();
        if (kind != clang::BO_Assign && kind != clang::BO_AddAssign && kind != clang::BO_MulAssign)
          return kUsed; // `bytes /= 4`
        continue;
      }
      if (const std::string_view use = of(*reference); !use.empty())
        return use;
    }
    return {};
  }

  const ParentIndex &index_;
  std::set<const clang::VarDecl *> seen_;
};

} // namespace

std::string_view useOfSize(const Program &program, const clang::UnaryExprOrTypeTraitExpr &size) {
  return SizeUses(program.index).of(size);
}

} // namespace relayout::rewriter
