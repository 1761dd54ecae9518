// SPDX-License-Identifier: Apache-2.0
// Compares what the rest of an expression does and reads with what a call in it changes. Operators
// around the call have its value as an operand, and run after it in any case.
#include "legality/early_calls.h"

#include "legality/evaluation_order.h"
#include "legality/library_functions.h"
#include "legality/object_parts.h"

#include <clang/AST/ASTContext.h>

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::dyn_cast_or_null;
using clang::isa;

namespace {

/// Whether an expression evaluates a part of it, once.
bool evaluatesAlways(const Program &program, const clang::Expr &around, const clang::Expr *part) {
  if (const auto *binary = dyn_cast<clang::BinaryOperator>(&around))
    return !binary->isLogicalOp() || binary->getLHS() == part;
  if (const auto *choice = dyn_cast<clang::ConditionalOperator>(&around))
    return choice->getCond() == part;
  if (const auto *call = dyn_cast<clang::CallExpr>(&around))
    return !isa<clang::CUDAKernelCallExpr>(call) &&
           !call->isUnevaluatedBuiltinCall(program.unit.ast());
  return isa<clang::ParenExpr, clang::FullExpr, clang::CastExpr, clang::UnaryOperator,
             clang::MemberExpr, clang::ArraySubscriptExpr, clang::MaterializeTemporaryExpr,
             clang::CXXBindTemporaryExpr, clang::CXXConstructExpr, clang::InitListExpr>(around);
}

/// Whether a parameter takes a variable as it takes a temporary.
bool takesVariables(const Program &program, const clang::FunctionDecl &callee,
                    const clang::ParmVarDecl *parameter) {
  if (callee.isTrivial()) // a copy, or a move that is one
    return true;
  const auto *method = dyn_cast<clang::CXXMethodDecl>(&callee);
  const bool isRead = parameter ? !parameter->getType()->isReferenceType() ||
                                      (parameter->getType()->isLValueReferenceType() &&
                                       parameter->getType()->getPointeeType().isConstQualified())
                                : method && method->isConst();
  return isRead && !program.index.tellsTemporaries(callee.getDeclName());
}

bool same(const clang::CXXRecordDecl &a, const clang::CXXRecordDecl &b) {
  return a.getCanonicalDecl() == b.getCanonicalDecl();
}

/// Whether an element is, or has as a base, an object of the class.
bool isOf(const clang::CXXRecordDecl *owner, const clang::CXXRecordDecl &record) {
  owner = owner ? owner->getDefinition() : nullptr;
  return owner && (same(*owner, record) || record.isDerivedFrom(owner));
}

/// A variable, or a part of one, that is no element of an array which changes.
bool isOwnVariable(const Program &program, const clang::Expr &object) {
  const std::optional<Root> root = rootOf(&object);
  return root && root->variable && !root->variable->getType()->isReferenceType() &&
         !program.targetOf(root->variable);
}

/// What stands beside a call in an expression.
class Rest {
public:
  Rest(const Program &program, const Target &target, const ElementEffects &effects)
      : program_(program), target_(target), effects_(effects) {}

  /// \param isObject  only a member of it is used
  std::optional<std::string> obstacle(const clang::Stmt &part, bool isObject = false) const {
    if (isa<clang::LambdaExpr, clang::StmtExpr>(part))
      return "the expression around it holds statements";
    if (const auto *given = dyn_cast<clang::CXXDefaultArgExpr>(&part))
      return obstacleOf(*given->getExpr());
    if (const auto *given = dyn_cast<clang::CXXDefaultInitExpr>(&part))
      return obstacleOf(*given->getExpr());
    const auto *expression = dyn_cast<clang::Expr>(&part);
    if (std::optional<std::string> found =
            expression && !isObject ? inElement(*expression) : std::nullopt)
      return found;
    if (const auto *member = dyn_cast<clang::MemberExpr>(&part)) {
      std::optional<std::string> found = inMember(*member);
      return found ? found
                   : obstacle(*member->getBase()->IgnoreParenImpCasts(),
                              /*isObject=*/!member->isArrow());
    }
    if (std::optional<std::string> found = inCallOf(part))
      return found;
    for (const clang::Stmt *child : part.children())
      if (std::optional<std::string> found = child ? obstacle(*child) : std::nullopt)
        return found;
    return std::nullopt;
  }

  /// The same, of an operand with its effects.
  std::optional<std::string> obstacleOf(const clang::Expr &operand) const {
    if (hasEffects(program_, operand))
      return "the expression around it does more than to compute a value";
    return obstacle(operand);
  }

private:
  /// `w[i].state`, `w[i].method()`
  std::optional<std::string> inMember(const clang::MemberExpr &member) const {
    const clang::ValueDecl *named = member.getMemberDecl();
    const auto *owner = dyn_cast<clang::CXXRecordDecl>(named->getDeclContext());
    const std::string name = named->getNameAsString();
    const clang::Expr *object = &member;
    if (!isa<clang::FieldDecl>(named))
      object = member.getBase();
    if (!owner || isOwnVariable(program_, *object))
      return std::nullopt;
    if (const auto *method = dyn_cast<clang::CXXMethodDecl>(named)) {
      const bool isChanged = method->isInstance() && !method->isConst() &&
                             std::ranges::any_of(program_.targets, [&](const auto &entry) {
                               return isOf(owner, *entry.second->record);
                             });
      return isChanged || (method->isInstance() && isOf(owner, *target_.record))
                 ? std::optional("the expression around it calls '" + name + "' of an element")
                 : std::nullopt;
    }
    if (isa<clang::FieldDecl>(named) && isOf(owner, *target_.record) &&
        std::ranges::any_of(effects_.written, [&](const std::string &written) {
          return isUnder(written, name) || isUnder(name, written);
        }))
      return fmt::format("the expression around it names '{}', which the call changes", name);
    return std::nullopt;
  }

  /// An element as a whole. One of another record may be read. A lambda may hold pointers.
  std::optional<std::string> inElement(const clang::Expr &part) const {
    const clang::CXXRecordDecl *record = part.getType()->getAsCXXRecordDecl();
    if (record && record->isLambda())
      return "the expression around it uses a lambda";
    if (!part.isGLValue() || !part.getType()->isRecordType() ||
        isa<clang::MaterializeTemporaryExpr>(part) || isOwnVariable(program_, part))
      return std::nullopt;
    const auto *conversion =
        dyn_cast_or_null<clang::ImplicitCastExpr>(program_.index.parentOf(&part).stmt);
    const bool isRead = part.getType().isConstQualified() ||
                        (conversion && conversion->getType().isConstQualified());
    const bool isWhole =
        isOf(record, *target_.record) ||
        (!isRead && std::ranges::any_of(program_.targets, [&](const auto &entry) {
          return !entry.second->shape.isScalar && isElement(program_, &part, *entry.second);
        }));
    return isWhole ? std::optional("the expression around it uses an element as a whole")
                   : std::nullopt;
  }

  /// A function of the program's might read the element by a name that it has itself.
  std::optional<std::string> inCallOf(const clang::Stmt &part) const {
    const clang::FunctionDecl *callee = nullptr;
    if (const auto *call = dyn_cast<clang::CallExpr>(&part))
      callee = call->getDirectCallee();
    else if (const auto *construction = dyn_cast<clang::CXXConstructExpr>(&part))
      callee = construction->getConstructor();
    if (!callee || callee->isTrivial() || !isUsers(program_, *callee))
      return std::nullopt;
    const std::string obstacle = effectsOn(program_, *callee, -1).obstacle;
    return obstacle.empty() ? std::nullopt
                            : std::optional("in the expression around it, " + obstacle);
  }

  const Program &program_;
  const Target &target_;
  const ElementEffects &effects_;
};

} // namespace

const clang::Expr *expressionAround(const Program &program, const clang::CallExpr &call) {
  const clang::Expr *current = &call;
  while (const auto *around = dyn_cast_or_null<clang::Expr>(program.index.parentOf(current).stmt)) {
    if (!evaluatesAlways(program, *around, current))
      return nullptr;
    current = around;
  }
  return current;
}

bool mayBeVariable(const Program &program, const clang::CallExpr &call) {
  const clang::QualType type = call.getType();
  if (!call.isPRValue() || type->isVoidType() || !holdsNoAddress(type) ||
      !type.isTriviallyCopyableType(program.unit.ast()))
    return false;
  const clang::Expr *current = &call;
  bool isBound = false; // to a reference
  const clang::Expr *around = nullptr;
  while ((around = dyn_cast_or_null<clang::Expr>(program.index.parentOf(current).stmt))) {
    const auto *conversion = dyn_cast<clang::ImplicitCastExpr>(around);
    if (!isa<clang::ParenExpr, clang::FullExpr, clang::MaterializeTemporaryExpr>(around) &&
        !(conversion && conversion->getCastKind() == clang::CK_NoOp))
      break;
    isBound |= isa<clang::MaterializeTemporaryExpr>(around);
    current = around;
  }
  if (!isBound && !type->isRecordType())
    return true;
  if (const auto *user = dyn_cast_or_null<clang::CallExpr>(around))
    return user->getDirectCallee() &&
           takesVariables(program, *user->getDirectCallee(), parameterFor(*user, *current));
  if (const auto *construction = dyn_cast_or_null<clang::CXXConstructExpr>(around)) {
    const clang::CXXConstructorDecl &constructor = *construction->getConstructor();
    for (unsigned i = 0; i < constructor.getNumParams() && i < construction->getNumArgs(); ++i)
      if (construction->getArg(i) == current)
        return takesVariables(program, constructor, constructor.getParamDecl(i));
    return false;
  }
  if (const auto *member = dyn_cast_or_null<clang::MemberExpr>(around)) {
    const auto *method = dyn_cast<clang::CXXMethodDecl>(member->getMemberDecl());
    return !method || takesVariables(program, *method, nullptr);
  }
  return !isBound;
}

std::optional<std::string> obstacleToRunFirst(const Program &program, const clang::Expr &whole,
                                              const clang::CallExpr &call, const Target &target,
                                              const ElementEffects &effects) {
  const Rest rest(program, target, effects);
  for (const clang::Stmt *current = &call; current != &whole;) {
    const clang::Stmt *around = program.index.parentOf(current).stmt;
    for (const clang::Stmt *child : around->children())
      if (const auto *operand = dyn_cast_or_null<clang::Expr>(child); operand && operand != current)
        if (std::optional<std::string> obstacle = rest.obstacleOf(*operand))
          return obstacle;
    current = around;
  }
  return std::nullopt;
}

} // namespace relayout::rewriter
