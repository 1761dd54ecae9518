// SPDX-License-Identifier: Apache-2.0
// Finds accesses to volatile memory by their types, and loads by the atomics of libcu++.
#include "model/volatile_accesses.h"

#include "model/access_chain.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;

/// A variable in registers or on the thread's stack, or a part of one.
bool isThreadsOwn(const clang::Expr *glvalue) {
  while (glvalue) {
    const clang::Expr *at = throughGlvalueCasts(glvalue);
    glvalue = nullptr;
    if (const auto *name = dyn_cast<clang::DeclRefExpr>(at)) {
      const auto *variable = dyn_cast<clang::VarDecl>(name->getDecl());
      return variable && variable->hasLocalStorage() && !variable->getType()->isReferenceType() &&
             !variable->hasAttr<clang::CUDASharedAttr>();
    }
    if (const auto *member = dyn_cast<clang::MemberExpr>(at); member && !member->isArrow())
      glvalue = member->getBase();
    else if (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(at))
      glvalue = decayedArray(subscript->getBase());
  }
  return false;
}

/// Of `cuda::atomic` and its kin: what threads call again and again while they wait.
bool isAtomicLoad(const clang::CXXMemberCallExpr &call) {
  const clang::CXXMethodDecl *method = call.getMethodDecl();
  if (!method || !method->getDeclName().isIdentifier() || call.getType()->isVoidType())
    return false;
  const std::string owner = method->getParent()->getQualifiedNameAsString();
  const llvm::StringRef name = method->getName();
  return llvm::StringRef(owner).starts_with("cuda::") &&
         llvm::StringRef(owner).contains("atomic") &&
         (name == "load" || name == "exchange" || name.starts_with("compare_exchange") ||
          name.starts_with("test"));
}

class VolatileSearch : public clang::DynamicRecursiveASTVisitor {
public:
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr *cast) override {
    if (cast->getCastKind() == clang::CK_LValueToRValue)
      add(cast->getSubExpr(), {cast->getSubExpr(), false});
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator *assignment) override {
    if (assignment->isAssignmentOp() && !assignment->getLHS()->refersToBitField())
      add(assignment->getLHS(), {assignment, true});
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator *unary) override {
    if (unary->isIncrementDecrementOp() && !unary->getSubExpr()->refersToBitField())
      add(unary->getSubExpr(), {unary, unary->isPrefix()});
    return true;
  }

  bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr *call) override {
    if (isAtomicLoad(*call))
      found.push_back({call, false});
    return true;
  }

  std::vector<VolatileAccess> found;

private:
  void add(const clang::Expr *object, VolatileAccess access) {
    const clang::QualType type = object->getType();
    if (type.isVolatileQualified() && type->isScalarType() && !isThreadsOwn(object))
      found.push_back(access);
  }
};

} // namespace

std::vector<VolatileAccess> volatileAccesses(const clang::Stmt *body) {
  VolatileSearch search;
  search.TraverseStmt(const_cast<clang::Stmt *>(body));
  return std::move(search.found);
}

} // namespace relayout::instrument
