// SPDX-License-Identifier: Apache-2.0
// Follows the way through an accessor's body that the call's constant arguments take.
#include "legality/accessors.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>

#include <optional>
#include <vector>

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::isa;

namespace {

class AccessorBody {
public:
  AccessorBody(const clang::CXXMethodDecl &method, const clang::CallExpr &call)
      : method_(method),
        arguments_(call.arg_begin() + (isa<clang::CXXOperatorCallExpr>(call) ? 1 : 0),
                   call.arg_end()) {}

  /// What the body returns; null where that is not known.
  [[nodiscard]] const clang::Expr *result() {
    (void)run(method_.getBody());
    return result_ ? chosen(result_) : nullptr;
  }

private:
  enum class Way { GoesOn, Ends };

  [[nodiscard]] std::optional<std::int64_t> valueOf(const clang::Expr &expression) const {
    clang::APValue value;
    if (expression.isValueDependent() ||
        !expression.EvaluateWithSubstitution(value, method_.getASTContext(), &method_,
                                             arguments_) ||
        !value.isInt())
      return std::nullopt;
    return value.getInt().getExtValue();
  }

  Way run(const clang::Stmt *statement) {
    if (!statement || isa<clang::NullStmt>(statement))
      return Way::GoesOn;
    if (const auto *result = dyn_cast<clang::ReturnStmt>(statement)) {
      result_ = result->getRetValue();
      return Way::Ends;
    }
    if (const auto *block = dyn_cast<clang::CompoundStmt>(statement)) {
      for (const clang::Stmt *inner : block->body())
        if (run(inner) == Way::Ends)
          return Way::Ends;
      return Way::GoesOn;
    }
    const auto *branch = dyn_cast<clang::IfStmt>(statement);
    const std::optional<std::int64_t> value =
        branch && !branch->getInit() && !branch->getConditionVariable()
            ? valueOf(*branch->getCond())
            : std::nullopt;
    if (!value) // of a kind that is not followed
      return Way::Ends;
    return run(*value != 0 ? branch->getThen() : branch->getElse());
  }

  [[nodiscard]] const clang::Expr *chosen(const clang::Expr *glvalue) const {
    glvalue = glvalue->IgnoreParens();
    while (const auto *choice = dyn_cast<clang::ConditionalOperator>(glvalue)) {
      const std::optional<std::int64_t> value = valueOf(*choice->getCond());
      if (!value)
        return nullptr;
      glvalue = (*value != 0 ? choice->getTrueExpr() : choice->getFalseExpr())->IgnoreParens();
    }
    return glvalue;
  }

  const clang::CXXMethodDecl &method_;
  std::vector<const clang::Expr *> arguments_;
  const clang::Expr *result_ = nullptr;
};

/// The body that a call of a method runs, whatever the object's type is; null where none is known.
const clang::CXXMethodDecl *plainMethod(const clang::CallExpr &call) {
  const auto *method = dyn_cast_or_null<clang::CXXMethodDecl>(call.getDirectCallee());
  const auto *body =
      method ? dyn_cast_or_null<clang::CXXMethodDecl>(method->getDefinition()) : nullptr;
  return body && body->hasBody() && body->isInstance() && !body->isVirtual() ? body : nullptr;
}

} // namespace

const clang::Expr *returnedPart(const clang::CallExpr &call) {
  const clang::CXXMethodDecl *body = plainMethod(call);
  return body && body->getReturnType()->isReferenceType() ? AccessorBody(*body, call).result()
                                                          : nullptr;
}

const clang::Expr *pointedPart(const clang::CallExpr &call) {
  const clang::CXXMethodDecl *body = plainMethod(call);
  const clang::Expr *result =
      body && body->getReturnType()->isPointerType() ? AccessorBody(*body, call).result() : nullptr;
  if (!result)
    return nullptr;
  result = result->IgnoreParens();
  while (const auto *conversion = dyn_cast<clang::ImplicitCastExpr>(result)) {
    if (conversion->getCastKind() == clang::CK_ArrayToPointerDecay)
      return conversion->getSubExpr();
    if (conversion->getCastKind() != clang::CK_NoOp) // `const`
      return nullptr;
    result = conversion->getSubExpr()->IgnoreParens();
  }
  const auto *address = dyn_cast<clang::UnaryOperator>(result);
  return address && address->getOpcode() == clang::UO_AddrOf ? address->getSubExpr() : nullptr;
}

AccessedPart accessedPart(const clang::CallExpr &call) {
  const clang::Expr *object = nullptr;
  if (const auto *member = dyn_cast<clang::CXXMemberCallExpr>(&call)) {
    object = member->getImplicitObjectArgument();
    if (object->getType()->isPointerType() && !isa<clang::CXXThisExpr>(object->IgnoreImpCasts()))
      return {};
  } else if (isa<clang::CXXOperatorCallExpr>(call)) {
    object = call.getArg(0);
  }
  const clang::Expr *part = object ? returnedPart(call) : nullptr;
  return part ? AccessedPart{object, part} : AccessedPart{};
}

} // namespace relayout::rewriter
