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

/// Whether a kernel may run code of other units, through calls or pointers to functions. nvcc
/// compiles that for more registers than the bounds leave, and does not link the two.
class OtherUnits {
public:
  explicit OtherUnits(const Program &program) : program_(program) {}

  [[nodiscard]] bool mayRunIn(const clang::FunctionDecl &kernel) {
    if (program_.isAlone)
      return false;
    if (mayRunFrom(kernel))
      return true;
    const clang::FunctionTemplateDecl *pattern = kernel.getDescribedFunctionTemplate();
    return pattern && std::ranges::any_of(pattern->specializations(),
                                          [this](const clang::FunctionDecl *instance) {
                                            return mayRunFrom(*instance);
                                          });
  }

private:
  bool mayRunFrom(const clang::FunctionDecl &function) {
    const clang::FunctionDecl *body = nullptr;
    if (!function.hasBody(body))
      return !function.isDefaulted() && !function.isImplicit();
    if (!visited_.insert(body).second)
      return false;
    return program_.index.callsThroughPointer(body) ||
           std::ranges::any_of(program_.index.calleesOf(body),
                               [this](const clang::FunctionDecl *callee) {
                                 const auto *method = dyn_cast<clang::CXXMethodDecl>(callee);
                                 return (method && method->isVirtual()) || mayRunFrom(*callee);
                               });
  }

  const Program &program_;
  std::set<const clang::FunctionDecl *> visited_ = {};
};

class Bounds : public UserVisitor {
public:
  Bounds(Program &program, const std::set<std::string> &kernels)
      : UserVisitor(program), edited_(program), kernels_(kernels) {}

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    const auto *global = function->getAttr<clang::CUDAGlobalAttr>();
    if (global && function->isThisDeclarationADefinition() &&
        !function->isTemplateInstantiation() &&
        kernels_.contains(function->getQualifiedNameAsString()) && !isBounded(*function) &&
        !OtherUnits(program_).mayRunIn(*function))
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
