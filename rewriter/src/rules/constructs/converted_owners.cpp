// SPDX-License-Identifier: Apache-2.0
// Objects that become a pointer by `operator R *()`, and a view by `operator RView()`.
#include "rules/constructs.h"
#include "rules/element_edits.h"
#include "rules/implicit_views.h"

#include <clang/AST/DeclCXX.h>

#include <fmt/format.h>

namespace relayout::rewriter {

using clang::isa;
using clang::isa_and_nonnull;

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
    convertTo(spelledFor(climb.target, isConst ? names.constView : names.view, climb.function),
              *call->getImplicitObjectArgument(), climb, edits);
  }
  return climb.climbTo(pointerAt(conversion), std::move(edits));
}

} // namespace relayout::rewriter
