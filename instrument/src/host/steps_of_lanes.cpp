// SPDX-License-Identifier: Apache-2.0
// Lowering: after each access to volatile memory, and before a store to shared memory that another
// lane may yet read, a lane waits until the others have come as far.
#include "host/steps_of_lanes.h"

#include "host/lowering_edits.h"
#include "model/unguarded_stores.h"
#include "model/volatile_accesses.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <set>
#include <utility>

namespace relayout::instrument {
namespace {

using Index = TokenEdits::Index;

class StepsOfLanes : public clang::DynamicRecursiveASTVisitor {
public:
  explicit StepsOfLanes(UnitReading &unit) : unit_(*unit.host.unit), edits_(*unit.host.edits) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    const bool isDevice =
        function->hasAttr<clang::CUDAGlobalAttr>() || function->hasAttr<clang::CUDADeviceAttr>();
    if (!isDevice || !function->doesThisDeclarationHaveABody())
      return true;
    for (const VolatileAccess &access : volatileAccesses(function->getBody()))
      wrap(*access.expression, access.isStore ? "::relayout::host::afterVolatileStore("
                                              : "::relayout::host::afterVolatileLoad(");
    if (!function->isDependentContext())
      for (const auto &[value, isStep] : unguardedStores(*function)) {
        if (isStep)
          wrap(*value, "::relayout::host::beforeSharedStep(");
        else if (canBePassed(*value))
          wrap(*value, "::relayout::host::beforeSharedStore(");
      }
    return true;
  }
  bool VisitLambdaExpr(clang::LambdaExpr *lambda) override {
    return VisitFunctionDecl(lambda->getCallOperator());
  }

private:
  /// Template instantiations share their text.
  void wrap(const clang::Expr &expression, const char *call) {
    const auto first = edits_.indexOf(expression.getBeginLoc());
    const auto last = edits_.indexOf(expression.getEndLoc());
    if (first && last && wrapped_.insert({*first, *last}).second)
      edits_.wrap(*first, *last, call, ")");
  }

  /// Whether a value means the same as an argument of a template's parameter.
  [[nodiscard]] bool canBePassed(const clang::Expr &value) const {
    const clang::QualType type = value.getType();
    return !clang::isa<clang::InitListExpr>(value.IgnoreImplicit()) && !isBraced(value) &&
           !type->isFunctionPointerType() &&
           !value.isNullPointerConstant(unit_.ast(), clang::Expr::NPC_ValueDependentIsNotNull);
  }
  [[nodiscard]] bool isBraced(const clang::Expr &value) const {
    const auto first = edits_.indexOf(value.getBeginLoc());
    return first && edits_.text(*first, *first) == "{";
  }

  ParsedUnit &unit_;
  TokenEdits &edits_;
  std::set<std::pair<Index, Index>> wrapped_;
};

} // namespace

void keepLanesInStep(UnitReading &unit, const std::vector<clang::Decl *> &written) {
  StepsOfLanes steps(unit);
  for (clang::Decl *declaration : written)
    steps.TraverseDecl(declaration);
}

} // namespace relayout::instrument
