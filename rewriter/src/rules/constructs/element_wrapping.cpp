// SPDX-License-Identifier: Apache-2.0
// What stands around an element and changes nothing, and references to it.
#include "legality/object_parts.h"
#include "rules/constructs.h"
#include "rules/element_edits.h"

#include <llvm/ADT/STLExtras.h>

namespace relayout::rewriter {

/// `R &r = p[i];`
std::optional<Step> elementBoundToReference(Climb &climb, const Place &here, const Parent &around) {
  const auto *variable = dyn_cast_or_null<clang::VarDecl>(around.decl);
  if (!variable || variable->getInit() != here.expression ||
      !variable->getType()->isReferenceType() || !climb.flowsInto(variable))
    return std::nullopt;
  TokenEdits edits = climb.edits();
  editAddress(edits, climb, here.element, nullptr);
  return climb.done(std::move(edits));
}

/// `[&r]` of a reference to an element becomes `[r]`: the element may outlive the reference, and so
/// may the lambda.
std::optional<Step> capturedElement(Climb &climb, const Place &here, const Parent &around) {
  const auto *lambda = dyn_cast_or_null<clang::LambdaExpr>(around.stmt);
  const auto *name = clang::dyn_cast<clang::DeclRefExpr>(here.expression);
  if (!lambda || !name)
    return std::nullopt;
  const auto capture =
      llvm::find_if(lambda->explicit_captures(), [&](const clang::LambdaCapture &candidate) {
        return candidate.capturesVariable() && candidate.getCapturedVar() == name->getDecl();
      });
  if (capture == lambda->explicit_capture_end() || capture->getCaptureKind() != clang::LCK_ByRef)
    return std::nullopt;
  TokenEdits edits = climb.edits();
  const std::optional<FilePlace> variable = climb.reader.place(capture->getLocation());
  const std::size_t sign = variable
                               ? climb.reader.fileText(variable->path).rfind('&', variable->offset)
                               : std::string::npos;
  if (sign == std::string::npos)
    edits.fail(capture->getLocation());
  else
    edits.add({{{variable->path, static_cast<unsigned>(sign)}, variable->offset}, ""});
  return climb.done(std::move(edits));
}

std::optional<Step> elementInParentheses(Climb &, const Place &here, const Parent &around) {
  const auto *parens = dyn_cast_or_null<clang::ParenExpr>(around.stmt);
  if (!parens)
    return std::nullopt;
  Place outside = here;
  outside.expression = parens;
  outside.element.parens.push_back(parens);
  return climbTo(std::move(outside));
}

std::optional<Step> convertedElement(Climb &, const Place &here, const Parent &around) {
  const auto *conversion = dyn_cast_or_null<clang::ImplicitCastExpr>(around.stmt);
  const bool addsConst = conversion && conversion->getCastKind() == clang::CK_NoOp;
  const bool isBase = conversion && isToBase(*conversion);
  if (!addsConst && !isBase && !isa_and_nonnull<clang::FullExpr>(around.stmt))
    return std::nullopt;
  Place outside = here;
  outside.expression = clang::cast<clang::Expr>(around.stmt);
  return climbTo(std::move(outside));
}

std::optional<Step> addressOfElement(Climb &climb, const Place &here, const Parent &around) {
  const auto *address = dyn_cast_or_null<clang::UnaryOperator>(around.stmt);
  if (!address || address->getOpcode() != clang::UO_AddrOf)
    return std::nullopt;
  TokenEdits edits = climb.edits();
  editAddress(edits, climb, here.element, address);
  return climb.climbTo(pointerAt(address), std::move(edits));
}

std::optional<Step> sizeOfElement(Climb &climb, const Place &, const Parent &around) {
  const auto *size = dyn_cast_or_null<clang::UnaryExprOrTypeTraitExpr>(around.stmt);
  if (!size || size->getKind() != clang::UETT_SizeOf)
    return std::nullopt;
  TokenEdits edits = climb.edits();
  editSizeof(edits, climb, *size, climb.target.shape.name);
  return climb.done(std::move(edits));
}

} // namespace relayout::rewriter
