// SPDX-License-Identifier: Apache-2.0
// Looks for functions with `__global__` and a body.
#include "relayout/instrument/clang/kernel_definitions.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>

namespace relayout::instrument {
namespace {

class KernelVisitor : public clang::DynamicRecursiveASTVisitor {
public:
  explicit KernelVisitor(ParsedUnit &unit) : unit_(unit) {}

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    const clang::SourceManager &sources = unit_.sources();
    found = function->hasAttr<clang::CUDAGlobalAttr>() &&
            function->doesThisDeclarationHaveABody() &&
            unit_.isUserFile(sources.getFileID(sources.getExpansionLoc(function->getLocation())));
    return !found;
  }

  bool found = false;

private:
  ParsedUnit &unit_;
};

} // namespace

bool definesKernels(ParsedUnit &unit) {
  KernelVisitor visitor(unit);
  visitor.TraverseDecl(unit.ast().getTranslationUnitDecl());
  return visitor.found;
}

} // namespace relayout::instrument
