// SPDX-License-Identifier: Apache-2.0
// GPU tracing: what a function does to its variables.
#include "gpu/variable_uses.h"

#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;

/// The operand of a cast that reads a variable or hands it on as one that must not be changed.
const clang::Expr *readOnly(const clang::Stmt *statement) {
  const auto *cast = dyn_cast<clang::ImplicitCastExpr>(statement);
  if (!cast || !(cast->getCastKind() == clang::CK_LValueToRValue ||
                 (cast->getCastKind() == clang::CK_NoOp && cast->isGLValue() &&
                  cast->getType().isConstQualified())))
    return nullptr;
  return cast->getSubExpr();
}

class UseFinder {
public:
  VariableUses find(const clang::FunctionDecl *function) {
    visit(function->getBody());
    return std::move(uses_);
  }

private:
  void visit(const clang::Stmt *statement) {
    if (!statement)
      return;
    if (const clang::Expr *read = readOnly(statement); read && namedVariable(read))
      return;
    if (const auto *lambda = dyn_cast<clang::LambdaExpr>(statement)) {
      // What it captures by reference it may change; its body names the same variables.
      for (const clang::Expr *captured : lambda->capture_inits())
        visit(captured);
      return visit(lambda->getBody());
    }
    if (const auto *expression = dyn_cast<clang::Expr>(statement))
      if (const clang::VarDecl *stepped = steppedVariable(expression)) {
        uses_.changed.insert(stepped);
        if (const auto *binary = dyn_cast<clang::BinaryOperator>(expression))
          visit(binary->getRHS());
        return;
      }
    if (const auto *name = dyn_cast<clang::DeclRefExpr>(statement))
      if (const auto *variable = dyn_cast<clang::VarDecl>(name->getDecl())) {
        uses_.changed.insert(variable);
        uses_.reassigned.insert(variable);
      }
    const auto *loop = dyn_cast<clang::ForStmt>(statement);
    const VariableUses::Variables made = loop ? madeBy(loop) : VariableUses::Variables{};
    uses_.headed.insert(made.begin(), made.end());
    for (const clang::Stmt *child : statement->children())
      if (loop && child && child == loop->getInc())
        visitStep(loop->getInc(), made);
      else
        visit(child);
  }

  /// What a loop's head does in each turn.
  void visitStep(const clang::Expr *increment, const VariableUses::Variables &made) {
    increment = increment->IgnoreParens();
    const auto *binary = dyn_cast<clang::BinaryOperator>(increment);
    if (binary && binary->getOpcode() == clang::BO_Comma) {
      visitStep(binary->getLHS(), made);
      visitStep(binary->getRHS(), made);
    } else if (!made.contains(steppedVariable(increment))) {
      visit(increment);
    } else if (binary) {
      visit(binary->getRHS());
    }
  }

  VariableUses uses_;
};

} // namespace

VariableUses usesIn(const clang::FunctionDecl *function) { return UseFinder().find(function); }

const clang::VarDecl *namedVariable(const clang::Expr *expression) {
  expression = expression->IgnoreParens();
  while (const auto *member = dyn_cast<clang::MemberExpr>(expression)) {
    if (member->isArrow() || !isa<clang::FieldDecl>(member->getMemberDecl()))
      return nullptr;
    expression = member->getBase()->IgnoreParens();
  }
  const auto *name = dyn_cast<clang::DeclRefExpr>(expression);
  return name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
}

VariableUses::Variables madeBy(const clang::ForStmt *loop) {
  VariableUses::Variables made;
  if (const auto *statement = clang::dyn_cast_or_null<clang::DeclStmt>(loop->getInit()))
    for (const clang::Decl *declaration : statement->decls())
      if (const auto *variable = dyn_cast<clang::VarDecl>(declaration))
        made.insert(variable);
  return made;
}

const clang::VarDecl *steppedVariable(const clang::Expr *expression) {
  expression = expression->IgnoreParens();
  const clang::Expr *target = nullptr;
  if (const auto *unary = dyn_cast<clang::UnaryOperator>(expression);
      unary && unary->isIncrementDecrementOp())
    target = unary->getSubExpr();
  else if (const auto *binary = dyn_cast<clang::BinaryOperator>(expression);
           binary && binary->isCompoundAssignmentOp())
    target = binary->getLHS();
  const auto *name = target ? dyn_cast<clang::DeclRefExpr>(target->IgnoreParens()) : nullptr;
  return name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
}

} // namespace relayout::instrument
