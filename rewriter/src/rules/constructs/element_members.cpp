// SPDX-License-Identifier: Apache-2.0
// Fields and methods of an element: `p[i].x`, `p[i].length()`.
#include "legality/element_effects.h"
#include "relayout/instrument/clang/record_fields.h"
#include "rules/constructs.h"
#include "rules/element_edits.h"

#include <fmt/format.h>

namespace relayout::rewriter {

using clang::dyn_cast;

namespace {

/// `const Vec &position() const`: what it returns is not the element itself, of which fields could
/// be named again.
bool returnsPart(const clang::CXXMethodDecl &method, const clang::CXXRecordDecl &record) {
  const clang::QualType result = method.getReturnType();
  if (!method.isConst() || !result->isLValueReferenceType() ||
      !result.getNonReferenceType().isConstQualified())
    return false;
  const clang::CXXRecordDecl *part = result.getNonReferenceType()->getAsCXXRecordDecl();
  part = part ? part->getDefinition() : nullptr;
  return !part ||
         (part->getCanonicalDecl() != record.getCanonicalDecl() && !record.isDerivedFrom(part));
}

/// Of a field, or of a part of it, only the value is taken.
bool isOnlyRead(const ParentIndex &index, const clang::Expr &field) {
  const clang::Expr *part = &field;
  while (true) {
    const auto *around = dyn_cast_or_null<clang::Expr>(index.parentOf(part).stmt);
    const auto *conversion = dyn_cast_or_null<clang::CastExpr>(around);
    if (conversion && conversion->getCastKind() == clang::CK_LValueToRValue)
      return true;
    const bool isSubscript = clang::isa_and_nonnull<clang::ArraySubscriptExpr>(around) &&
                             clang::cast<clang::ArraySubscriptExpr>(around)->getBase() == part;
    if (!isSubscript && !clang::isa_and_nonnull<clang::ParenExpr, clang::MemberExpr>(around) &&
        !(conversion && conversion->getCastKind() == clang::CK_ArrayToPointerDecay))
      return false;
    part = around;
  }
}

/// `DISTANCE(p[i], q)` whose body reads `a.x`: the argument becomes a value, of which it does.
bool isReadByMacro(const Climb &climb, const Element &element, const clang::MemberExpr &member) {
  const clang::SourceLocation name = member.getMemberLoc();
  return name.isMacroID() && !climb.reader.tokenRange(name) && !member.isArrow() &&
         climb.reader.range(element.whole->getSourceRange()) &&
         isOnlyRead(climb.program.index, member);
}

} // namespace

std::optional<Step> fieldOfElement(Climb &climb, const Place &here, const Parent &around) {
  const auto *member = dyn_cast_or_null<clang::MemberExpr>(around.stmt);
  if (!member || !clang::isa<clang::FieldDecl>(member->getMemberDecl()))
    return std::nullopt;
  if (std::optional<Step> refusal = refusalOfName(*member))
    return refusal;
  if (instrument::isEmptyField(*clang::cast<clang::FieldDecl>(member->getMemberDecl())))
    return refused(Code::UnsupportedElementUse,
                   fmt::format("member '{}' has no bytes, and leads beyond the element",
                               member->getMemberDecl()->getNameAsString()),
                   member->getMemberLoc(), "give it an extent, or name the bytes by a pointer");
  TokenEdits edits = climb.edits();
  if (clang::cast<clang::FieldDecl>(member->getMemberDecl())->isAnonymousStructOrUnion()) {
    editPart(edits, here.element, *member);
    return climb.climbTo(fieldAt(member, here.element.isConst), std::move(edits));
  }
  if (isReadByMacro(climb, here.element, *member)) {
    editLoad(edits, climb, here.element, nullptr);
    return climb.done(std::move(edits));
  }
  if (instrument::bitFieldRun(*clang::cast<clang::FieldDecl>(member->getMemberDecl()))) {
    editPart(edits, here.element, *member);
    return climb.climbTo(fieldAt(member, here.element.isConst), std::move(edits));
  }
  editField(edits, here.element, *member, member->getMemberDecl()->getNameAsString(),
            /*isExploded=*/false);
  return climb.climbTo(fieldAt(member, here.element.isConst && !member->getType()->isArrayType()),
                       std::move(edits));
}

/// A method that changes nothing is called on a copy, which lives as long as the expression around
/// the call: a reference to a field of it may be used there, and not kept.
std::optional<Step> methodOfElement(Climb &climb, const Place &here, const Parent &around) {
  const auto *member = dyn_cast_or_null<clang::MemberExpr>(around.stmt);
  if (!member)
    return std::nullopt;
  const auto *method = dyn_cast<clang::CXXMethodDecl>(member->getMemberDecl());
  const auto *call =
      dyn_cast_or_null<clang::CXXMemberCallExpr>(climb.program.index.parentOf(member).stmt);
  const bool returnsField = call && method && returnsPart(*method, *climb.target.record);
  if (!method || !method->isInstance() ||
      (!method->isConst() && !onlyComputes(climb.program, *method)) ||
      (method->getReturnType()->isReferenceType() && !returnsField) ||
      method->getReturnType()->isPointerType())
    return refused(Code::UnsupportedElementUse,
                   fmt::format("member '{}' of an element is neither a field nor a method that "
                               "changes nothing and returns a value or a reference to const",
                               member->getMemberDecl()->getNameAsString()),
                   member->getMemberLoc(),
                   "copy the element, call the method on the copy, and store it back");
  if (call)
    requireIdleArguments(climb, *call, *here.expression);
  climb.references.noteCopyFor(climb, *method, member->getExprLoc());
  requireNoOverload(climb, *method, member->getExprLoc());
  followThis(climb, *method);
  TokenEdits edits = climb.edits();
  editLoad(edits, climb, here.element, member);
  return returnsField ? climb.climbTo(fieldAt(call, /*isValue=*/true), std::move(edits))
                      : climb.done(std::move(edits));
}

} // namespace relayout::rewriter
