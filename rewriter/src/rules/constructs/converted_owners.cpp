// SPDX-License-Identifier: Apache-2.0
// Objects that become a pointer by `operator R *()`, and a view by `operator RView()`.
#include "rules/constructs.h"

#include <clang/AST/DeclCXX.h>

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {

using clang::cast;
using clang::isa;
using clang::isa_and_nonnull;

namespace {

/// Copies between two layouts of a record take views of any class.
bool hasOneLayout(const Climb &climb) {
  return std::ranges::all_of(climb.program.targets, [&](const auto &entry) {
    return entry.second->record != climb.target.record || entry.second == &climb.target;
  });
}

/// True where the language converts the object for what takes the view: a parameter, a variable, a
/// result. Elsewhere it would have to know which operand to convert.
bool isConvertedThere(const Climb &climb, const clang::Expr &pointer) {
  const clang::Expr *value = &pointer;
  Parent around = climb.program.index.parentOf(value);
  while (isa_and_nonnull<clang::ImplicitCastExpr, clang::FullExpr>(around.stmt)) {
    value = cast<clang::Expr>(around.stmt);
    around = climb.program.index.parentOf(value);
  }
  if (const auto *call = dyn_cast_or_null<clang::CallExpr>(around.stmt))
    return call->getCallee() != value && (!runtimeName(climb.program, *call).empty()
                                              ? hasOneLayout(climb)
                                              : climb.flowsInto(parameterFor(*call, *value)));
  if (const auto *assignment = dyn_cast_or_null<clang::BinaryOperator>(around.stmt))
    return assignment->getOpcode() == clang::BO_Assign && assignment->getRHS() == value;
  return isa_and_nonnull<clang::ReturnStmt>(around.stmt) ||
         isa_and_nonnull<clang::VarDecl, clang::FieldDecl>(around.decl) || around.initialiser;
}

} // namespace

std::optional<Step> convertedOwner(Climb &climb, const Place &here, const Parent &around) {
  const auto *call = dyn_cast<clang::CXXMemberCallExpr>(here.expression);
  if (!call || !isa_and_nonnull<clang::CXXConversionDecl>(call->getMethodDecl()))
    return std::nullopt;
  const auto *conversion = dyn_cast_or_null<clang::CastExpr>(around.stmt);
  if (!conversion || conversion->getCastKind() != clang::CK_UserDefinedConversion)
    return refused(
        Code::DeclarationFixed,
        fmt::format("'{}' is called by its name", call->getMethodDecl()->getNameAsString()),
        call->getExprLoc(), "let the language convert the object");
  TokenEdits edits = climb.edits();
  if (!isa<clang::ImplicitCastExpr>(conversion) || !isConvertedThere(climb, *conversion)) {
    const GeneratedNames &names = climb.target.names;
    const bool isConst = call->getType()->getPointeeType().isConstQualified();
    const clang::Expr &object = *call->getImplicitObjectArgument();
    edits.insertBefore(
        object,
        spelledFor(climb.target, isConst ? names.constView : names.view, climb.function) + "(");
    edits.insertAfter(object, ")");
  }
  return climb.climbTo(pointerAt(conversion), std::move(edits));
}

} // namespace relayout::rewriter
