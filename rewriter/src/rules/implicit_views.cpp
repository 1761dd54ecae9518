// SPDX-License-Identifier: Apache-2.0
// Looks at what takes a pointer whether it names the type of the view.
#include "rules/implicit_views.h"

#include "legality/forwarded_arguments.h"

#include <clang/AST/ExprCXX.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

using clang::cast;
using clang::dyn_cast_or_null;
using clang::isa_and_nonnull;

/// Copies between two layouts of a record take views of any class.
bool hasOneLayout(const Climb &climb) {
  return std::ranges::all_of(climb.program.targets, [&](const auto &entry) {
    return entry.second->record != climb.target.record || entry.second == &climb.target;
  });
}

bool isConvertedInCall(const Climb &climb, const clang::CallExpr &call, const clang::Expr &value) {
  if (call.getCallee() == &value)
    return false;
  if (!runtimeName(climb.program, call).empty())
    return hasOneLayout(climb);
  const clang::ParmVarDecl *parameter = parameterFor(call, value);
  return climb.flowsInto(parameter) && !isForwarded(climb.program, *parameter);
}

} // namespace

bool isConvertedThere(const Climb &climb, const clang::Expr &pointer) {
  const clang::Expr *value = &pointer;
  Parent around = climb.program.index.parentOf(value);
  while (isa_and_nonnull<clang::ImplicitCastExpr, clang::FullExpr>(around.stmt)) {
    value = cast<clang::Expr>(around.stmt);
    around = climb.program.index.parentOf(value);
  }
  if (const auto *call = dyn_cast_or_null<clang::CallExpr>(around.stmt))
    return isConvertedInCall(climb, *call, *value);
  if (const auto *assignment = dyn_cast_or_null<clang::BinaryOperator>(around.stmt))
    return assignment->getOpcode() == clang::BO_Assign && assignment->getRHS() == value;
  if (isa_and_nonnull<clang::ReturnStmt>(around.stmt))
    return climb.function && !climb.function->getDeclaredReturnType()->getContainedAutoType();
  const auto *variable = dyn_cast_or_null<clang::VarDecl>(around.decl);
  if (variable)
    return !variable->isInitCapture() && !variable->getType()->getContainedAutoType();
  return isa_and_nonnull<clang::FieldDecl>(around.decl) || around.initialiser;
}

} // namespace relayout::rewriter
