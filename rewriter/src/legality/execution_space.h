// SPDX-License-Identifier: Apache-2.0
// Where the code of a function runs.
#pragma once

#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>

#include <llvm/ADT/STLExtras.h>

namespace relayout::rewriter {

/// A kernel, or a function that is declared for the device. Clang takes templates and constexpr
/// functions for both sides where they say nothing: that does not count. Null is no such function.
[[nodiscard]] inline bool isDeclaredForDevice(const clang::FunctionDecl *function) {
  return function && llvm::any_of(function->attrs(), [](const clang::Attr *attribute) {
           return clang::isa<clang::CUDAGlobalAttr>(attribute) ||
                  (clang::isa<clang::CUDADeviceAttr>(attribute) && !attribute->isImplicit());
         });
}

} // namespace relayout::rewriter
