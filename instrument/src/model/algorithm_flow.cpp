// SPDX-License-Identifier: Apache-2.0
// Binds parameters of function objects to the ranges that an algorithm visits.
#include "model/algorithm_flow.h"

#include "relayout/instrument/clang/library_algorithms.h"

namespace relayout::instrument {

void joinChanged(const clang::CallExpr &call, FlowGraph &graph) {
  const AlgorithmCall algorithm = algorithmCallOf(call);
  for (const clang::Expr *range : algorithm.arguments)
    if (const clang::CXXRecordDecl *record =
            range->getType()->isPointerType() ? recordTypeOf(range->getType()).record : nullptr)
      for (const clang::ParmVarDecl *parameter : changedThrough(algorithm, *record))
        graph.addBinding(parameter, range);
}

} // namespace relayout::instrument
