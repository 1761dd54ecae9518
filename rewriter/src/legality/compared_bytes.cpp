// SPDX-License-Identifier: Apache-2.0
// Finds the calls that compare such records byte by byte.
#include "legality/compared_bytes.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>

#include <fmt/format.h>

namespace relayout::rewriter {
namespace {

class ByteComparisons : public clang::DynamicRecursiveASTVisitor {
public:
  explicit ByteComparisons(Program &program) : program_(program) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool VisitCallExpr(clang::CallExpr *call) override {
    if (runtimeName(program_, *call) != "memcmp")
      return true;
    for (const clang::Expr *argument : call->arguments()) {
      const clang::QualType type = argument->IgnoreParenCasts()->getType();
      if (!type->isPointerType() && !type->isArrayType())
        continue;
      const clang::CXXRecordDecl *record =
          clang::QualType(type->getPointeeOrArrayElementType(), 0)->getAsCXXRecordDecl();
      const Target *target = record ? program_.targetOf(record) : nullptr;
      if (!target || !target->shape.hasPadding || !known_.insert(call->getExprLoc()).second)
        continue;
      program_.findings.warn(
          {Code::PaddingCompared,
           fmt::format("'memcmp' compares the padding of '{}', which arrays in device memory do "
                       "not keep",
                       target->shape.name),
           call->getExprLoc(), "compare the members"});
    }
    return true;
  }

private:
  Program &program_;
  std::set<clang::SourceLocation> known_; ///< instances of templates share their text
};

} // namespace

void warnOfComparedBytes(Program &program) {
  ByteComparisons(program).TraverseDecl(program.unit.ast().getTranslationUnitDecl());
}

} // namespace relayout::rewriter
