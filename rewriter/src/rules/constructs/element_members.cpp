// SPDX-License-Identifier: Apache-2.0
// Fields and methods of an element: `p[i].x`, `p[i].length()`.
#include "legality/element_effects.h"
#include "rules/constructs.h"
#include "rules/element_edits.h"

#include <fmt/format.h>

namespace relayout::rewriter {

using clang::dyn_cast;

std::optional<Step> fieldOfElement(Climb &climb, const Place &here, const Parent &around) {
  const auto *member = dyn_cast_or_null<clang::MemberExpr>(around.stmt);
  if (!member || !clang::isa<clang::FieldDecl>(member->getMemberDecl()))
    return std::nullopt;
  if (std::optional<Step> refusal = refusalOfName(*member))
    return refusal;
  TokenEdits edits = climb.edits();
  editField(edits, here.element, *member, /*isExploded=*/false);
  return climb.climbTo(fieldAt(member, here.element.isConst && !member->getType()->isArrayType()),
                       std::move(edits));
}

/// A method that returns a value and changes nothing is called on a copy.
std::optional<Step> methodOfElement(Climb &climb, const Place &here, const Parent &around) {
  const auto *member = dyn_cast_or_null<clang::MemberExpr>(around.stmt);
  if (!member)
    return std::nullopt;
  const auto *method = dyn_cast<clang::CXXMethodDecl>(member->getMemberDecl());
  if (!method || !method->isInstance() ||
      (!method->isConst() && !onlyComputes(climb.program, *method)) ||
      method->getReturnType()->isReferenceType() || method->getReturnType()->isPointerType())
    return refused(Code::UnsupportedElementUse,
                   fmt::format("member '{}' of an element is neither a field nor a method that "
                               "changes nothing and returns a value",
                               member->getMemberDecl()->getNameAsString()),
                   member->getMemberLoc(),
                   "copy the element, call the method on the copy, and store it back");
  climb.references.noteCopyFor(*method, climb.target, member->getExprLoc());
  requireNoOverload(climb, *method, member->getExprLoc());
  followThis(climb, *method);
  TokenEdits edits = climb.edits();
  editLoad(edits, climb, here.element, member);
  return climb.done(std::move(edits));
}

} // namespace relayout::rewriter
