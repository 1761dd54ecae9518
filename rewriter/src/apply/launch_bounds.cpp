// SPDX-License-Identifier: Apache-2.0
// Finds the definitions of kernels, and edits behind the word that makes them kernels.
#include "apply/launch_bounds.h"

#include "pass/user_visitor.h"

#include <algorithm>

namespace relayout::rewriter {
namespace {

constexpr const char *kBounds = " __launch_bounds__(1024, 1)";

bool isBounded(const clang::FunctionDecl &kernel) {
  return std::ranges::any_of(kernel.redecls(), [](const clang::FunctionDecl *declaration) {
    return declaration->hasAttr<clang::CUDALaunchBoundsAttr>();
  });
}

class Bounds : public UserVisitor {
public:
  Bounds(Program &program, const std::set<std::string> &kernels)
      : UserVisitor(program), edited_(program), kernels_(kernels) {}

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    const auto *global = function->getAttr<clang::CUDAGlobalAttr>();
    if (global && function->isThisDeclarationADefinition() &&
        !function->isTemplateInstantiation() &&
        kernels_.contains(function->getQualifiedNameAsString()) && !isBounded(*function))
      bound(edited_.unit.sources().getExpansionLoc(global->getLocation()));
    return true;
  }

private:
  void bound(clang::SourceLocation global) {
    const auto token = edited_.reader.tokenAt(global);
    const auto range = edited_.reader.tokenRange(global);
    if (!token || !range || edited_.reader.text(*token) != "__global__")
      return; // a macro of the program's stands for it
    const FilePlace end{range->begin.path, range->end};
    static_cast<void>(edited_.edits.add(end, {{{end, end.offset}, kBounds}}));
  }

  Program &edited_;
  const std::set<std::string> &kernels_;
};

} // namespace

void boundKernels(Program &program, const std::set<std::string> &kernels) {
  if (!kernels.empty())
    Bounds(program, kernels).TraverseDecl(program.unit.ast().getTranslationUnitDecl());
}

} // namespace relayout::rewriter
