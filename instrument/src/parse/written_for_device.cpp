// SPDX-License-Identifier: Apache-2.0
// Looks at marks, and at those of the functions around a lambda.
#include "parse/written_for_device.h"

#include <clang/AST/ASTLambda.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>

namespace relayout::instrument {

bool isWrittenForDevice(const clang::FunctionDecl &function) {
  if (function.hasAttr<clang::CUDAGlobalAttr>())
    return true;
  const auto *mark = function.getAttr<clang::CUDADeviceAttr>();
  if (!mark || !mark->isImplicit())
    return mark != nullptr;
  if (!clang::isLambdaCallOperator(&function))
    return false;
  const clang::CXXRecordDecl *lambda = clang::cast<clang::CXXMethodDecl>(function).getParent();
  const auto *around = clang::dyn_cast<clang::FunctionDecl>(lambda->getDeclContext());
  return around && isWrittenForDevice(*around);
}

} // namespace relayout::instrument
