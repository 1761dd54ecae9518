// SPDX-License-Identifier: Apache-2.0
// Walks the statements behind a declaration in the order in which they run.
#include "structs/dead_pointers.h"

#include "model/referents.h"
#include "relayout/base/cuda_calls.h"
#include "relayout/instrument/clang/start_values.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <optional>
#include <ranges>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::isa;

class Walk {
public:
  /// \param member  null: the variable itself is the pointer
  Walk(const clang::VarDecl &variable, const clang::FieldDecl *member)
      : variable_(variable), member_(member) {}

  FirstUse run(const clang::CompoundStmt &block, std::size_t index) {
    const auto statements = block.body();
    const auto declaring = statements.begin() + static_cast<std::ptrdiff_t>(index);
    for (auto it = declaring; it != statements.end(); ++it) {
      const Effect effect = it == declaring ? ofDeclarationsBehind(*it) : of(*it);
      if (effect == Effect::Reads)
        return isOnSomePaths_ ? FirstUse::OverwrittenOrNot : FirstUse::Used;
      if (effect == Effect::None)
        continue;
      if (isOnSomePaths_ || leaves_)
        return FirstUse::OverwrittenOrNot;
      return effect == Effect::Ends ? FirstUse::Never : FirstUse::Overwritten;
    }
    return FirstUse::Never;
  }

private:
  /// What happens to the pointer first. Writes: it is overwritten on every path.
  enum class Effect { None, Writes, Reads, Ends };

  bool isVariable(const clang::Expr *expression) const {
    const auto *name = dyn_cast<clang::DeclRefExpr>(expression->IgnoreParenImpCasts());
    return name && name->getDecl() == &variable_;
  }

  /// `x.f`, or `x`
  bool isPointer(const clang::Expr *expression) const {
    if (!member_)
      return isVariable(expression);
    const auto *member = dyn_cast<clang::MemberExpr>(expression->IgnoreParenImpCasts());
    return member && !member->isArrow() && member->getMemberDecl() == member_ &&
           isVariable(member->getBase());
  }

  /// `cudaMalloc(&x.f, bytes)`, `cudaMalloc(&x, bytes)`
  bool isAllocation(const clang::CallExpr &call) const {
    const CudaCall *known = cudaCallNamed(calleeName(&call));
    if (!known || known->kind != CudaCallKind::Allocation || call.getNumArgs() == 0)
      return false;
    const auto *address = dyn_cast<clang::UnaryOperator>(call.getArg(0)->IgnoreParenCasts());
    return address && address->getOpcode() == clang::UO_AddrOf && isPointer(address->getSubExpr());
  }

  Effect inOrder(std::initializer_list<const clang::Stmt *> parts) {
    for (const clang::Stmt *part : parts)
      if (const Effect effect = of(part); effect != Effect::None)
        return effect;
    return Effect::None;
  }

  Effect ofChildren(const clang::Stmt &statement, const clang::Stmt *leftOut = nullptr) {
    Effect first = Effect::None;
    for (const clang::Stmt *child : statement.children()) {
      if (!child || child == leftOut)
        continue;
      const Effect effect = of(child);
      // Operands may be evaluated in any order: a read beside a write is one of the old value.
      if (isa<clang::Expr>(statement) && effect == Effect::Reads)
        return effect;
      if (first == Effect::None)
        first = effect;
      if (!isa<clang::Expr>(statement) && first != Effect::None)
        return first;
    }
    return first;
  }

  /// What runs or does not: what it writes is written on some paths.
  Effect maybe(const clang::Stmt *part) {
    const Effect effect = of(part);
    if (effect == Effect::Reads)
      return effect;
    isOnSomePaths_ |= effect == Effect::Writes;
    return Effect::None;
  }

  Effect ofBranches(const clang::Stmt *first, const clang::Stmt *second) {
    const Effect a = of(first), b = of(second);
    if (a == Effect::Reads || b == Effect::Reads)
      return Effect::Reads;
    if (a != Effect::None && b != Effect::None)
      return a == b ? a : Effect::Writes;
    isOnSomePaths_ |= a == Effect::Writes || b == Effect::Writes;
    return Effect::None;
  }

  Effect ofExpression(const clang::Expr &expression) {
    if (isVariable(&expression) || isPointer(&expression))
      return Effect::Reads;
    if (const auto *member = dyn_cast<clang::MemberExpr>(&expression);
        member_ && member && !member->isArrow() && isVariable(member->getBase()))
      return isa<clang::FieldDecl>(member->getMemberDecl()) ? Effect::None : Effect::Reads;
    if (const auto *call = dyn_cast<clang::CallExpr>(&expression); call && isAllocation(*call))
      return ofChildren(*call, call->getArg(0)) == Effect::Reads ? Effect::Reads : Effect::Writes;
    if (const auto *binary = dyn_cast<clang::BinaryOperator>(&expression)) {
      if (binary->getOpcode() == clang::BO_Assign && isPointer(binary->getLHS()))
        return of(binary->getRHS()) == Effect::Reads ? Effect::Reads : Effect::Writes;
      if (binary->isLogicalOp()) {
        const Effect left = of(binary->getLHS());
        return left != Effect::None ? left : maybe(binary->getRHS());
      }
      if (binary->getOpcode() == clang::BO_Comma)
        return inOrder({binary->getLHS(), binary->getRHS()});
    }
    if (const auto *choice = dyn_cast<clang::ConditionalOperator>(&expression)) {
      const Effect condition = of(choice->getCond());
      return condition != Effect::None ? condition
                                       : ofBranches(choice->getTrueExpr(), choice->getFalseExpr());
    }
    if (isa<clang::BinaryConditionalOperator>(&expression))
      return maybe(*expression.child_begin()) == Effect::None &&
                     ofChildren(expression) == Effect::None
                 ? Effect::None
                 : Effect::Reads;
    return ofChildren(expression);
  }

  Effect ofLoop(std::initializer_list<const clang::Stmt *> before,
                std::initializer_list<const clang::Stmt *> body) {
    if (const Effect first = inOrder(before); first != Effect::None)
      return first;
    for (const clang::Stmt *part : body)
      if (maybe(part) == Effect::Reads)
        return Effect::Reads;
    return Effect::None;
  }

  Effect of(const clang::Stmt *statement) {
    if (!statement || isa<clang::UnaryExprOrTypeTraitExpr>(statement))
      return Effect::None;
    if (isa<clang::GotoStmt, clang::IndirectGotoStmt, clang::LabelStmt, clang::AsmStmt>(statement))
      return Effect::Reads;
    if (isa<clang::ReturnStmt>(statement)) {
      const Effect value = ofChildren(*statement);
      return value == Effect::None ? Effect::Ends : value;
    }
    if (isa<clang::BreakStmt, clang::ContinueStmt, clang::CXXThrowExpr>(statement)) {
      leaves_ = true;
      return ofChildren(*statement);
    }
    if (const auto *branch = dyn_cast<clang::IfStmt>(statement)) {
      const Effect first =
          inOrder({branch->getInit(), branch->getConditionVariableDeclStmt(), branch->getCond()});
      return first != Effect::None ? first : ofBranches(branch->getThen(), branch->getElse());
    }
    if (const auto *loop = dyn_cast<clang::ForStmt>(statement))
      return ofLoop({loop->getInit(), loop->getConditionVariableDeclStmt(), loop->getCond()},
                    {loop->getBody(), loop->getInc()});
    if (const auto *loop = dyn_cast<clang::WhileStmt>(statement))
      return ofLoop({loop->getConditionVariableDeclStmt(), loop->getCond()}, {loop->getBody()});
    if (const auto *loop = dyn_cast<clang::CXXForRangeStmt>(statement))
      return ofLoop({loop->getInit(), loop->getRangeStmt()}, {loop->getBody()});
    if (const auto *choice = dyn_cast<clang::SwitchStmt>(statement))
      return ofLoop({choice->getInit(), choice->getCond()}, {choice->getBody()});
    if (const auto *attempt = dyn_cast<clang::CXXTryStmt>(statement)) {
      leaves_ = true;
      return ofChildren(*attempt);
    }
    if (const auto *declaration = dyn_cast<clang::DeclStmt>(statement))
      return ofDeclarations(*declaration);
    if (const auto *lambda = dyn_cast<clang::LambdaExpr>(statement))
      return ofLambda(*lambda);
    if (const auto *expression = dyn_cast<clang::Expr>(statement))
      return ofExpression(*expression);
    return ofChildren(*statement);
  }

  Effect ofDeclarations(const clang::DeclStmt &statement) { return ofDeclared(statement.decls()); }

  /// Of the declarators behind the variable's own, where the statement declares it.
  Effect ofDeclarationsBehind(const clang::Stmt *statement) {
    const auto *declaration = dyn_cast<clang::DeclStmt>(statement);
    if (!declaration) // `d = h;`
      return Effect::None;
    const auto declared = declaration->decls();
    const auto own = std::ranges::find(declared, static_cast<const clang::Decl *>(&variable_));
    return ofDeclared(std::ranges::subrange(std::next(own), declared.end()));
  }

  template <class Declarations> Effect ofDeclared(const Declarations &declarations) {
    for (const clang::Decl *declared : declarations)
      if (const auto *variable = dyn_cast<clang::VarDecl>(declared))
        if (const Effect effect =
                variable->isStaticLocal() ? maybe(variable->getInit()) : of(variable->getInit());
            effect != Effect::None)
          return effect;
    return Effect::None;
  }

  /// What it does, it does when it is called.
  Effect ofLambda(const clang::LambdaExpr &lambda) const {
    const bool captures = std::ranges::any_of(lambda.captures(), [this](const auto &capture) {
      return capture.capturesVariable() && capture.getCapturedVar() == &variable_;
    });
    return captures ? Effect::Reads : Effect::None;
  }

  const clang::VarDecl &variable_;
  const clang::FieldDecl *member_;
  bool isOnSomePaths_ = false; ///< something wrote it that need not have run
  bool leaves_ = false;        ///< something may have gone past what wrote it
};

/// The block of a function's body that declares a variable, and the number of the statement.
std::optional<std::pair<const clang::CompoundStmt *, std::size_t>>
blockOf(const clang::VarDecl &variable, const clang::Stmt *within) {
  if (!within || isa<clang::LambdaExpr>(within))
    return std::nullopt;
  std::size_t index = 0;
  for (const clang::Stmt *child : within->children()) {
    const auto *declaration = dyn_cast_or_null<clang::DeclStmt>(child);
    if (const auto *block = dyn_cast<clang::CompoundStmt>(within);
        block && declaration &&
        std::ranges::count(declaration->decls(), static_cast<const clang::Decl *>(&variable)) != 0)
      return std::pair(block, index);
    if (const auto found = blockOf(variable, child))
      return found;
    ++index;
  }
  return std::nullopt;
}

/// `new R[n]`, `malloc(bytes)`: memory of the host's, of which nothing else comes.
bool isNewMemory(const clang::Expr &value) {
  Referent referent;
  resolve(&value, referent);
  const clang::Expr *bare = value.IgnoreParenCasts();
  return referent.declarations.empty() && referent.unknown.empty() && referent.origins.host &&
         isa<clang::CXXNewExpr, clang::CallExpr>(bare);
}

/// The block that a statement stands in, and the number of the statement.
std::optional<std::pair<const clang::CompoundStmt *, std::size_t>>
blockAround(const clang::Stmt &statement, const clang::Stmt *within) {
  if (!within || isa<clang::LambdaExpr>(within))
    return std::nullopt;
  std::size_t index = 0;
  for (const clang::Stmt *child : within->children()) {
    if (const auto *block = dyn_cast<clang::CompoundStmt>(within); block && child == &statement)
      return std::pair(block, index);
    if (const auto found = blockAround(statement, child))
      return found;
    ++index;
  }
  return std::nullopt;
}

/// Whether a function names a variable only where it reads or assigns it, or has CUDA fill it in:
/// nothing else leads to it.
bool isNamedAlone(const clang::VarDecl &variable, const clang::Stmt *within) {
  const auto isName = [&](const clang::Expr *expression) {
    const auto *name = dyn_cast<clang::DeclRefExpr>(expression->IgnoreParens());
    return name && name->getDecl() == &variable;
  };
  if (!within || isa<clang::UnaryExprOrTypeTraitExpr>(within))
    return true;
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(within))
    return name->getDecl() != &variable;
  if (const auto *lambda = dyn_cast<clang::LambdaExpr>(within))
    return std::ranges::none_of(lambda->captures(), [&](const auto &capture) {
      return capture.capturesVariable() && capture.getCapturedVar() == &variable;
    });
  if (const auto *read = dyn_cast<clang::ImplicitCastExpr>(within);
      read && read->getCastKind() == clang::CK_LValueToRValue && isName(read->getSubExpr()))
    return true;
  const clang::Stmt *leftOut = nullptr;
  if (const auto *assignment = dyn_cast<clang::BinaryOperator>(within);
      assignment && assignment->getOpcode() == clang::BO_Assign && isName(assignment->getLHS()))
    leftOut = assignment->getLHS();
  if (const auto *call = dyn_cast<clang::CallExpr>(within);
      call && call->getNumArgs() > 0 && cudaCallNamed(calleeName(call))) {
    const auto *address = dyn_cast<clang::UnaryOperator>(call->getArg(0)->IgnoreParenCasts());
    if (address && address->getOpcode() == clang::UO_AddrOf && isName(address->getSubExpr()))
      leftOut = call->getArg(0);
  }
  return std::ranges::all_of(within->children(), [&](const clang::Stmt *child) {
    return child == leftOut || isNamedAlone(variable, child);
  });
}

/// It has no effect, and names no pointer: how those are used, a rewrite may change.
bool isPlain(const clang::Stmt &part, const clang::ASTContext &ast) {
  const auto *expression = dyn_cast<clang::Expr>(&part);
  if (expression && isa<clang::DeclRefExpr, clang::MemberExpr>(expression) &&
      recordTypeOf(expression->getType()).indirect)
    return false;
  return (!expression || !expression->HasSideEffects(ast)) &&
         std::ranges::all_of(part.children(), [&](const clang::Stmt *child) {
           return !child || isPlain(*child, ast);
         });
}

/// Whether one text stands for several functions.
bool isInTemplate(const clang::DeclContext *scope) {
  for (; scope; scope = scope->getParent()) {
    const auto *function = dyn_cast<clang::FunctionDecl>(scope);
    if (scope->isDependentContext() || isa<clang::ClassTemplateSpecializationDecl>(scope) ||
        (function && function->getTemplatedKind() != clang::FunctionDecl::TK_NonTemplate))
      return true;
  }
  return false;
}

} // namespace

FirstUse firstUse(const clang::VarDecl &variable, const clang::FieldDecl &member,
                  const clang::CompoundStmt &block, std::size_t index) {
  return Walk(variable, &member).run(block, index);
}

namespace {

/// The function with a local pointer that is given memory of the host's, which has no other effect.
const clang::FunctionDecl *functionThatMakes(const clang::VarDecl &variable,
                                             const clang::Expr &memory) {
  const auto *function = dyn_cast<clang::FunctionDecl>(variable.getDeclContext());
  if (!function || variable.isStaticLocal() || !variable.getType()->isPointerType() ||
      variable.getType()->getContainedAutoType() || isInTemplate(function) || !isNewMemory(memory))
    return nullptr;
  const bool hasEffects =
      std::ranges::any_of(memory.IgnoreParenCasts()->children(), [&](const clang::Stmt *child) {
        return child && !isPlain(*child, variable.getASTContext());
      });
  return hasEffects ? nullptr : function;
}

} // namespace

const clang::VarDecl *assignedUnusedMemory(const clang::BinaryOperator &assignment) {
  const auto *name = dyn_cast<clang::DeclRefExpr>(assignment.getLHS()->IgnoreParens());
  const auto *variable = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  const auto *function = variable && assignment.getOpcode() == clang::BO_Assign
                             ? functionThatMakes(*variable, *assignment.getRHS())
                             : nullptr;
  if (!function || !isNamedAlone(*variable, function->getBody()))
    return nullptr;
  const auto block = blockAround(assignment, function->getBody());
  return block &&
                 Walk(*variable, nullptr).run(*block->first, block->second) == FirstUse::Overwritten
             ? variable
             : nullptr;
}

bool startsWithUnusedMemory(const clang::VarDecl &variable) {
  const clang::Expr *start = variable.getInit();
  const clang::FunctionDecl *function = start ? functionThatMakes(variable, *start) : nullptr;
  const auto block = function ? blockOf(variable, function->getBody()) : std::nullopt;
  return block &&
         Walk(variable, nullptr).run(*block->first, block->second) == FirstUse::Overwritten;
}

} // namespace relayout::instrument
