// SPDX-License-Identifier: Apache-2.0
#include "model/container_flow.h"

#include "model/referents.h"
#include "relayout/instrument/clang/pointer_containers.h"

#include <clang/AST/ExprCXX.h>

namespace relayout::instrument {

void joinHeld(const clang::CallExpr &call, FlowGraph &graph) {
  const clang::Expr *container = containerCalled(call);
  if (!container)
    return;
  Referent changed;
  resolve(container, changed);
  for (const clang::ValueDecl *declaration : changed.declarations)
    for (const clang::Expr *argument : call.arguments())
      if (recordTypeOf(argument->getType()).indirect ||
          clang::isa<clang::CXXStdInitializerListExpr>(argument))
        graph.flow(declaration, argument);
}

} // namespace relayout::instrument
