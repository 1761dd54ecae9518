// SPDX-License-Identifier: Apache-2.0
// Looks at the arguments of all calls that allocate.
#include "model/fixed_sizes.h"

#include "model/referents.h"
#include "relayout/base/cuda_calls.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <algorithm>
#include <vector>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;

/// The values that a function gives one of its variables.
class ValuesOf : public clang::DynamicRecursiveASTVisitor {
public:
  explicit ValuesOf(const clang::VarDecl &variable) : variable_(variable) {}

  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override {
    names_ += name->getDecl() == &variable_;
    return true;
  }
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr *conversion) override {
    known_ += conversion->getCastKind() == clang::CK_LValueToRValue &&
              isVariable(*conversion->getSubExpr());
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator *assignment) override {
    if (assignment->getOpcode() == clang::BO_Assign && isVariable(*assignment->getLHS())) {
      ++known_;
      assigned.push_back(assignment->getRHS());
    }
    return true;
  }

  /// False where something else may change it, as a reference or a step.
  [[nodiscard]] bool areAll() const { return names_ == known_; }
  std::vector<const clang::Expr *> assigned;

private:
  bool isVariable(const clang::Expr &expression) const {
    const auto *name = dyn_cast<clang::DeclRefExpr>(expression.IgnoreParens());
    return name && name->getDecl() == &variable_;
  }

  const clang::VarDecl &variable_;
  unsigned names_ = 0, known_ = 0;
};

/// Variables made of each other are followed so far.
constexpr unsigned kDeepest = 8;

bool isFixed(const clang::Expr &given, const clang::ASTContext &ast, unsigned depth = 0);

bool isFixed(const clang::VarDecl &variable, const clang::ASTContext &ast, unsigned depth) {
  const clang::Expr *first = variable.getInit();
  if (first && !isFixed(*first, ast, depth))
    return false;
  if (variable.getType().isConstQualified())
    return first != nullptr;
  const auto *function = dyn_cast<clang::FunctionDecl>(variable.getDeclContext());
  if (!function || !function->getBody() || !variable.hasLocalStorage() ||
      llvm::isa<clang::ParmVarDecl>(variable) || variable.getType()->isReferenceType())
    return false;
  ValuesOf values(variable);
  values.TraverseStmt(function->getBody());
  return values.areAll() && (first || !values.assigned.empty()) &&
         std::ranges::all_of(values.assigned,
                             [&](const clang::Expr *value) { return isFixed(*value, ast, depth); });
}

bool isFixed(const clang::Expr &given, const clang::ASTContext &ast, unsigned depth) {
  const clang::Expr &size = *given.IgnoreParenCasts();
  if (size.isValueDependent() || depth > kDeepest)
    return false;
  if (llvm::isa<clang::UnaryExprOrTypeTraitExpr>(size) || size.isEvaluatable(ast))
    return true;
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(&size)) {
    const auto *variable = dyn_cast<clang::VarDecl>(name->getDecl());
    return variable && isFixed(*variable, ast, depth + 1);
  }
  const auto *operation = dyn_cast<clang::BinaryOperator>(&size);
  return operation && !operation->isAssignmentOp() && isFixed(*operation->getLHS(), ast, depth) &&
         isFixed(*operation->getRHS(), ast, depth);
}

class Allocations : public clang::DynamicRecursiveASTVisitor {
public:
  explicit Allocations(ParsedUnit &unit) : unit_(unit) { ShouldVisitTemplateInstantiations = true; }

  bool TraverseDecl(clang::Decl *declaration) override {
    const clang::SourceManager &sources = unit_.sources();
    return (declaration && !llvm::isa<clang::TranslationUnitDecl>(declaration) &&
            sources.isInSystemHeader(sources.getExpansionLoc(declaration->getLocation()))) ||
           clang::DynamicRecursiveASTVisitor::TraverseDecl(declaration);
  }
  bool VisitCallExpr(clang::CallExpr *call) override {
    const CudaCall *known = cudaCallNamed(calleeName(call));
    if (known && known->kind == CudaCallKind::Allocation && call->getNumArgs() > 1)
      areFixed &= isFixed(*call->getArg(1), unit_.ast());
    return areFixed;
  }
  /// A vector of Thrust's grows as it likes.
  bool VisitVarDecl(clang::VarDecl *variable) override {
    const clang::CXXRecordDecl *record = variable->getType()->getAsCXXRecordDecl();
    areFixed &= !record || record->getName() != "device_vector";
    return areFixed;
  }

  bool areFixed = true;

private:
  ParsedUnit &unit_;
};

} // namespace

bool allocatesFixedSizes(ParsedUnit &unit) {
  Allocations allocations(unit);
  allocations.TraverseAST(unit.ast());
  return allocations.areFixed;
}

} // namespace relayout::instrument
