// SPDX-License-Identifier: Apache-2.0
// Reads what calls allocate.
#include "coordinates/allocations.h"

#include "relayout/base/cuda_calls.h"
#include "relayout/instrument/clang/untyped_functions.h"

#include <clang/AST/ExprCXX.h>

namespace relayout::rewriter {

using clang::dyn_cast;

namespace {

/// What an argument leads to that is filled in: the pointer whose address it is, or a pointer to
/// that.
const clang::Expr *filledIn(const clang::Expr &given) {
  const clang::Expr *argument = given.IgnoreParenCasts();
  const auto *address = dyn_cast<clang::UnaryOperator>(argument);
  return address && address->getOpcode() == clang::UO_AddrOf
             ? address->getSubExpr()->IgnoreParenCasts()
             : argument;
}

} // namespace

std::vector<const clang::Expr *> allocatedBy(const Program &program, const clang::CallExpr &call) {
  const CudaCall *known = cudaCallNamed(runtimeName(program, call));
  if (known && known->kind == CudaCallKind::Allocation && call.getNumArgs() > 1)
    return {filledIn(*call.getArg(0))};
  const clang::FunctionDecl *callee = call.getDirectCallee();
  if (!callee || !isUsers(program, *callee) || !instrument::takesUntyped(*callee))
    return {};
  const instrument::UntypedFunction function = instrument::readUntyped(*callee);
  std::vector<const clang::Expr *> pointers;
  for (std::size_t i = 0; i < function.pointers.size(); ++i) {
    const instrument::Origins &made = function.pointers[i].allocated;
    if (!made.device && !made.managed && !made.pinned)
      continue;
    if (const clang::Expr *argument = function.argumentFor(i, call))
      pointers.push_back(filledIn(*argument));
    else if (const auto *conversion =
                 dyn_cast_or_null<clang::Expr>(program.index.parentOf(&call).stmt))
      pointers.push_back(conversion);
  }
  return pointers;
}

} // namespace relayout::rewriter
