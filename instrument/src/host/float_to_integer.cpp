// SPDX-License-Identifier: Apache-2.0
// Lowering: device code converts floating-point numbers to integers as a GPU does.
#include "host/float_to_integer.h"

#include "host/lowering_edits.h"
#include "parse/written_for_device.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <fmt/format.h>

#include <set>
#include <utility>

namespace relayout::instrument {
namespace {

/// In one function, and the lambdas in it.
class Conversions : public clang::DynamicRecursiveASTVisitor {
public:
  explicit Conversions(UnitReading &unit) : ast_(unit.host.unit->ast()), edits_(*unit.host.edits) {
    ShouldVisitImplicitCode = true;
  }

  bool VisitCastExpr(clang::CastExpr *conversion) override {
    const clang::Expr &value = *conversion->getSubExpr();
    const auto *into = conversion->getType()->getAs<clang::BuiltinType>();
    if (conversion->getCastKind() != clang::CK_FloatingToIntegral || !into || !into->isInteger() ||
        value.isValueDependent() || value.isEvaluatable(ast_))
      return true;
    const auto first = edits_.indexOf(value.getBeginLoc());
    const auto last = edits_.indexOf(value.getEndLoc());
    if (first && last && wrapped_.insert({*first, *last}).second)
      edits_.wrap(*first, *last,
                  fmt::format("::relayout::host::toInteger<{}>(",
                              into->getName(ast_.getPrintingPolicy()).str()),
                  ")");
    return true;
  }

private:
  clang::ASTContext &ast_;
  TokenEdits &edits_;
  std::set<std::pair<TokenEdits::Index, TokenEdits::Index>> wrapped_;
};

class DeviceFunctions : public clang::DynamicRecursiveASTVisitor {
public:
  explicit DeviceFunctions(UnitReading &unit) : conversions_(unit) {}

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    if (isWrittenForDevice(*function) && !function->isConstexpr() &&
        !function->isDependentContext() && function->doesThisDeclarationHaveABody())
      conversions_.TraverseStmt(function->getBody());
    return true;
  }

private:
  Conversions conversions_;
};

} // namespace

void convertAsOnGpu(UnitReading &unit, const std::vector<clang::Decl *> &written) {
  DeviceFunctions functions(unit);
  for (clang::Decl *declaration : written)
    functions.TraverseDecl(declaration);
}

} // namespace relayout::instrument
