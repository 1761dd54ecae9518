// SPDX-License-Identifier: Apache-2.0
// Visits each lambda, and its instances where it is generic.
#include "parse/host_lambdas.h"

#include <clang/AST/ASTLambda.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;

bool mayRunOnDevice(const clang::FunctionDecl &function);

/// Of the function that a lambda stands in; those of variables at namespace scope stand in none.
bool standsInDeviceCode(const clang::CXXRecordDecl &lambda) {
  const auto *around = dyn_cast<clang::FunctionDecl>(lambda.getDeclContext());
  return around && mayRunOnDevice(*around);
}

bool mayRunOnDevice(const clang::FunctionDecl &function) {
  if (function.hasAttr<clang::CUDAGlobalAttr>())
    return true;
  const auto *mark = function.getAttr<clang::CUDADeviceAttr>();
  if (!mark || !mark->isImplicit() || !clang::isLambdaCallOperator(&function))
    return mark && !mark->isImplicit();
  return standsInDeviceCode(*clang::cast<clang::CXXMethodDecl>(function).getParent());
}

class Lambdas : public clang::DynamicRecursiveASTVisitor {
public:
  Lambdas() { ShouldVisitTemplateInstantiations = true; }

  bool VisitLambdaExpr(clang::LambdaExpr *lambda) override {
    if (standsInDeviceCode(*lambda->getLambdaClass()))
      return true;
    if (const clang::FunctionTemplateDecl *generic = lambda->getDependentCallOperator())
      for (clang::FunctionDecl *instance : generic->specializations())
        leaveToHost(*instance);
    if (lambda->getCallOperator())
      leaveToHost(*lambda->getCallOperator());
    return true;
  }

private:
  static void leaveToHost(clang::FunctionDecl &operation) {
    if (const auto *mark = operation.getAttr<clang::CUDADeviceAttr>(); mark && mark->isImplicit())
      operation.dropAttr<clang::CUDADeviceAttr>();
  }
};

} // namespace

void leaveLambdasToTheHost(clang::ASTContext &context) {
  Lambdas().TraverseDecl(context.getTranslationUnitDecl());
}

} // namespace relayout::instrument
