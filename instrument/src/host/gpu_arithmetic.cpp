// SPDX-License-Identifier: Apache-2.0
// Lowering: device code computes with integers as a GPU does.
#include "host/gpu_arithmetic.h"

#include "host/lowering_edits.h"
#include "parse/written_for_device.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <fmt/format.h>

#include <set>
#include <utility>

namespace relayout::instrument {
namespace {

/// In one function, and the lambdas in it.
class Arithmetic : public clang::DynamicRecursiveASTVisitor {
public:
  explicit Arithmetic(UnitReading &unit) : ast_(unit.host.unit->ast()), edits_(*unit.host.edits) {
    ShouldVisitImplicitCode = true;
  }

  bool VisitCastExpr(clang::CastExpr *conversion) override {
    const clang::Expr &value = *conversion->getSubExpr();
    const auto *into = conversion->getType()->getAs<clang::BuiltinType>();
    if (conversion->getCastKind() != clang::CK_FloatingToIntegral || !into || !into->isInteger() ||
        value.isValueDependent() || value.isEvaluatable(ast_))
      return true;
    wrap(value, fmt::format("::relayout::host::toInteger<{}>(",
                            into->getName(ast_.getPrintingPolicy()).str()));
    return true;
  }

  bool VisitBinaryOperator(clang::BinaryOperator *shift) override {
    const clang::Expr &value = *shift->getLHS(), &count = *shift->getRHS();
    const bool isAssigned = shift->isShiftAssignOp();
    if ((shift->isShiftOp() || isAssigned) && value.getType()->isIntegralOrEnumerationType() &&
        !(isAssigned && value.refersToBitField()) && !count.isValueDependent() &&
        !count.isEvaluatable(ast_))
      wrap(count, "::relayout::host::ShiftCount(");
    return true;
  }

private:
  void wrap(const clang::Expr &expression, const std::string &open) {
    const auto first = edits_.indexOf(expression.getBeginLoc());
    const auto last = edits_.indexOf(expression.getEndLoc());
    if (first && last && wrapped_.insert({*first, *last}).second)
      edits_.wrap(*first, *last, open, ")");
  }

  clang::ASTContext &ast_;
  TokenEdits &edits_;
  std::set<std::pair<TokenEdits::Index, TokenEdits::Index>> wrapped_;
};

class DeviceFunctions : public clang::DynamicRecursiveASTVisitor {
public:
  explicit DeviceFunctions(UnitReading &unit) : arithmetic_(unit) {}

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    if (isWrittenForDevice(*function) && !function->isConstexpr() &&
        !function->isDependentContext() && function->doesThisDeclarationHaveABody())
      arithmetic_.TraverseStmt(function->getBody());
    return true;
  }

private:
  Arithmetic arithmetic_;
};

} // namespace

void computeAsOnGpu(UnitReading &unit, const std::vector<clang::Decl *> &written) {
  DeviceFunctions functions(unit);
  for (clang::Decl *declaration : written)
    functions.TraverseDecl(declaration);
}

} // namespace relayout::instrument
