// SPDX-License-Identifier: Apache-2.0
// Lowering: after each access to volatile memory a lane waits until the others have come as far.
#include "host/volatile_points.h"

#include "host/lowering_edits.h"
#include "model/volatile_accesses.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <set>
#include <utility>

namespace relayout::instrument {
namespace {

using Index = TokenEdits::Index;

class VolatilePoints : public clang::DynamicRecursiveASTVisitor {
public:
  explicit VolatilePoints(UnitReading &unit) : unit_(*unit.host.unit), edits_(*unit.host.edits) {
    ShouldVisitTemplateInstantiations = true;
  }

  void run() {
    for (clang::Decl *declaration : unit_.ast().getTranslationUnitDecl()->decls()) {
      const clang::SourceManager &sources = unit_.sources();
      const clang::SourceLocation where = sources.getExpansionLoc(declaration->getLocation());
      if (where.isValid() && unit_.isUserFile(sources.getFileID(where)))
        TraverseDecl(declaration);
    }
  }

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    const bool isDevice =
        function->hasAttr<clang::CUDAGlobalAttr>() || function->hasAttr<clang::CUDADeviceAttr>();
    if (isDevice && function->doesThisDeclarationHaveABody())
      for (const VolatileAccess &access : volatileAccesses(function->getBody()))
        wrap(access);
    return true;
  }
  bool VisitLambdaExpr(clang::LambdaExpr *lambda) override {
    return VisitFunctionDecl(lambda->getCallOperator());
  }

private:
  /// Template instantiations share their text.
  void wrap(const VolatileAccess &access) {
    const auto first = edits_.indexOf(access.expression->getBeginLoc());
    const auto last = edits_.indexOf(access.expression->getEndLoc());
    if (first && last && wrapped_.insert({*first, *last}).second)
      edits_.wrap(*first, *last,
                  access.isStore ? "::relayout::host::afterVolatileStore("
                                 : "::relayout::host::afterVolatileLoad(",
                  ")");
  }

  ParsedUnit &unit_;
  TokenEdits &edits_;
  std::set<std::pair<Index, Index>> wrapped_;
};

} // namespace

void lockstepVolatileAccesses(UnitReading &unit) { VolatilePoints(unit).run(); }

} // namespace relayout::instrument
