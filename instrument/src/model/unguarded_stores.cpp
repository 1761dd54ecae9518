// SPDX-License-Identifier: Apache-2.0
// Follows what has been read of shared variables since the last barrier, along the control flow.
#include "model/unguarded_stores.h"

#include "model/access_chain.h"

#include <clang/AST/ExprCXX.h>
#include <clang/Analysis/CFG.h>

#include <map>
#include <memory>
#include <set>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;

using Variables = std::set<const clang::VarDecl *>;

const clang::VarDecl *sharedVariable(const clang::Expr *glvalue);

/// The shared variable that a pointer leads into by what it is made of: `int *next = tile + n;`.
/// Null where it is not seen.
const clang::VarDecl *sharedBehind(const clang::Expr *pointer) {
  constexpr int kMostSteps = 8;
  for (int step = 0; pointer && step < kMostSteps; ++step) {
    const clang::Expr *at = pointer->IgnoreParenCasts();
    pointer = nullptr;
    if (const auto *name = dyn_cast<clang::DeclRefExpr>(at)) {
      const auto *variable = dyn_cast<clang::VarDecl>(name->getDecl());
      if (!variable || variable->hasAttr<clang::CUDASharedAttr>())
        return variable;
      if (variable->isLocalVarDecl() && variable->getType()->isPointerType())
        pointer = variable->getInit();
    } else if (const auto *unary = dyn_cast<clang::UnaryOperator>(at)) {
      return unary->getOpcode() == clang::UO_AddrOf ? sharedVariable(unary->getSubExpr()) : nullptr;
    } else if (const auto *sum = dyn_cast<clang::BinaryOperator>(at); sum && sum->isAdditiveOp()) {
      pointer = sum->getLHS();
    } else if (at->getType()->isArrayType()) {
      return sharedVariable(at);
    }
  }
  return nullptr;
}

/// The shared variable that a glvalue is a part of, or null.
const clang::VarDecl *sharedVariable(const clang::Expr *glvalue) {
  while (glvalue) {
    const clang::Expr *at = throughGlvalueCasts(glvalue);
    glvalue = nullptr;
    if (const auto *name = dyn_cast<clang::DeclRefExpr>(at)) {
      const auto *variable = dyn_cast<clang::VarDecl>(name->getDecl());
      return variable && variable->hasAttr<clang::CUDASharedAttr>() ? variable : nullptr;
    }
    if (const auto *unary = dyn_cast<clang::UnaryOperator>(at);
        unary && unary->getOpcode() == clang::UO_Deref)
      return sharedBehind(unary->getSubExpr());
    if (const auto *member = dyn_cast<clang::MemberExpr>(at)) {
      if (member->isArrow())
        return sharedBehind(member->getBase());
      glvalue = member->getBase();
    } else if (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(at)) {
      glvalue = decayedArray(subscript->getBase());
      if (!glvalue)
        return sharedBehind(subscript->getBase());
    }
  }
  return nullptr;
}

/// `__syncthreads()` and its kin, and the `sync` of a group.
bool isBarrier(const clang::CallExpr &call) {
  const clang::FunctionDecl *callee = call.getDirectCallee();
  if (!callee || !callee->getDeclName().isIdentifier())
    return false;
  const llvm::StringRef name = callee->getName();
  return name.starts_with("__sync") || name.starts_with("__barrier_sync") || name == "sync";
}

/// An assignment to a part of a shared variable, or a step of it.
struct Store {
  const clang::VarDecl *variable = nullptr; ///< null: the expression is no such store
  UnguardedStore stored;
};

Store storeBy(const clang::Stmt &statement) {
  if (const auto *assignment = dyn_cast<clang::BinaryOperator>(&statement);
      assignment && assignment->isAssignmentOp()) {
    if (!assignment->getLHS()->getType().isVolatileQualified())
      return {sharedVariable(assignment->getLHS()), {assignment->getRHS()}};
  } else if (const auto *step = dyn_cast<clang::UnaryOperator>(&statement);
             step && step->isIncrementDecrementOp()) {
    const clang::Expr *variable = step->getSubExpr();
    if (!variable->getType().isVolatileQualified() && !variable->refersToBitField())
      return {sharedVariable(variable), {variable, true}};
  } else if (const auto *call = dyn_cast<clang::CXXOperatorCallExpr>(&statement);
             call && call->getOperator() == clang::OO_Equal && call->getNumArgs() == 2) {
    const auto *method = dyn_cast_or_null<clang::CXXMethodDecl>(call->getDirectCallee());
    if (method && method->isTrivial())
      return {sharedVariable(call->getArg(0)), {call->getArg(1)}};
  }
  return {};
}

class ReadsSinceBarrier {
public:
  explicit ReadsSinceBarrier(const clang::FunctionDecl &function)
      : isKernel_(function.hasAttr<clang::CUDAGlobalAttr>()) {
    clang::CFG::BuildOptions options;
    options.setAllAlwaysAdd();
    flow_ = clang::CFG::buildCFG(&function, function.getBody(), &function.getASTContext(), options);
  }

  std::vector<UnguardedStore> unguarded() {
    if (!flow_)
      return {};
    while (spread())
      ;
    std::vector<UnguardedStore> stores;
    for (const clang::CFGBlock *block : *flow_)
      pass(*block, before_[block], &stores);
    return stores;
  }

private:
  /// \returns whether anything is new before some block
  bool spread() {
    bool isNew = false;
    for (const clang::CFGBlock *block : *flow_) {
      const Variables after = pass(*block, before_[block], nullptr);
      const auto reach = [&](const clang::CFGBlock *next) {
        Variables &before = before_[next];
        const std::size_t known = before.size();
        before.insert(after.begin(), after.end());
        isNew |= before.size() != known;
      };
      for (const clang::CFGBlock *next : block->succs())
        if (next)
          reach(next);
      // Whoever calls a device function may call it again at once.
      if (block == &flow_->getExit() && !isKernel_)
        reach(&flow_->getEntry());
    }
    return isNew;
  }

  /// \param stores  null, or gains those to variables that have been read
  /// \returns what has been read since the last barrier behind the block
  static Variables pass(const clang::CFGBlock &block, Variables read,
                        std::vector<UnguardedStore> *stores) {
    for (const clang::CFGElement &element : block) {
      const auto known = element.getAs<clang::CFGStmt>();
      if (!known)
        continue;
      const clang::Stmt &statement = *known->getStmt();
      const Store store = storeBy(statement);
      if (const auto *cast = dyn_cast<clang::ImplicitCastExpr>(&statement);
          cast && cast->getCastKind() == clang::CK_LValueToRValue)
        addRead(cast->getSubExpr(), read);
      if (const auto *call = dyn_cast<clang::CallExpr>(&statement)) {
        if (isBarrier(*call))
          read.clear();
        for (unsigned i = store.variable ? 1 : 0; i < call->getNumArgs(); ++i)
          addArgument(call->getArg(i), read);
        if (const auto *method = dyn_cast<clang::CXXMemberCallExpr>(call))
          addArgument(method->getImplicitObjectArgument(), read);
      }
      if (const auto *construction = dyn_cast<clang::CXXConstructExpr>(&statement))
        for (const clang::Expr *argument : construction->arguments())
          addArgument(argument, read);
      if (stores && store.variable && read.contains(store.variable))
        stores->push_back(store.stored);
    }
    return read;
  }

  static void addRead(const clang::Expr *glvalue, Variables &read) {
    if (const clang::VarDecl *variable = sharedVariable(glvalue))
      read.insert(variable);
  }

  /// What a function is given the address or a reference of, it may read.
  static void addArgument(const clang::Expr *argument, Variables &read) {
    const clang::Expr *at = argument->IgnoreParenCasts();
    if (const auto *address = dyn_cast<clang::UnaryOperator>(at);
        address && address->getOpcode() == clang::UO_AddrOf)
      at = address->getSubExpr();
    addRead(at, read);
  }

  bool isKernel_;
  std::unique_ptr<clang::CFG> flow_;
  std::map<const clang::CFGBlock *, Variables> before_;
};

} // namespace

std::vector<UnguardedStore> unguardedStores(const clang::FunctionDecl &function) {
  return ReadsSinceBarrier(function).unguarded();
}

} // namespace relayout::instrument
