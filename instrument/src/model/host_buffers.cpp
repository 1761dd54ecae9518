// SPDX-License-Identifier: Apache-2.0
// Knows the functions that allocate the host's memory.
#include "model/host_buffers.h"

#include "model/pointer_contents.h"
#include "model/referents.h"

#include <clang/AST/ExprCXX.h>

namespace relayout::instrument {

using clang::dyn_cast;

bool makesHostMemory(const clang::Expr &expression) {
  const clang::Expr *made = expression.IgnoreParenCasts();
  if (const auto *allocation = dyn_cast<clang::CXXNewExpr>(made))
    return allocation->getNumPlacementArgs() == 0;
  const auto *call = dyn_cast<clang::CallExpr>(made);
  return call && isOneOf(calleeName(call), {"malloc", "calloc", "realloc", "aligned_alloc"});
}

bool holdsHostMemoryAlone(const clang::VarDecl &variable) {
  return holdsAlone(variable, makesHostMemory);
}

} // namespace relayout::instrument
