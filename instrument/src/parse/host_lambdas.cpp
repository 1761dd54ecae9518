// SPDX-License-Identifier: Apache-2.0
// Visits each lambda, and its instances where it is generic.
#include "parse/host_lambdas.h"

#include "parse/written_for_device.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>

namespace relayout::instrument {
namespace {

class Lambdas : public clang::DynamicRecursiveASTVisitor {
public:
  Lambdas() { ShouldVisitTemplateInstantiations = true; }

  bool VisitLambdaExpr(clang::LambdaExpr *lambda) override {
    if (const clang::FunctionTemplateDecl *generic = lambda->getDependentCallOperator())
      for (clang::FunctionDecl *instance : generic->specializations())
        leaveToHost(*instance);
    if (lambda->getCallOperator())
      leaveToHost(*lambda->getCallOperator());
    return true;
  }

private:
  static void leaveToHost(clang::FunctionDecl &operation) {
    if (!isWrittenForDevice(operation))
      operation.dropAttr<clang::CUDADeviceAttr>();
  }
};

} // namespace

void leaveLambdasToTheHost(ParsedUnit &unit) {
  const clang::SourceManager &sources = unit.ast().getSourceManager();
  Lambdas lambdas;
  for (clang::Decl *declaration : unit.ast().getTranslationUnitDecl()->decls())
    if (unit.isUserFile(sources.getFileID(sources.getExpansionLoc(declaration->getLocation()))))
      lambdas.TraverseDecl(declaration);
}

} // namespace relayout::instrument
