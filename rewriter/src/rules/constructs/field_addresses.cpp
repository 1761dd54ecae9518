// SPDX-License-Identifier: Apache-2.0
// The address of a field or an element: functions that use it at once may have it, such as atomics.
#include "legality/library_functions.h"
#include "rules/constructs.h"
#include "rules/element_edits.h"

#include <clang/AST/ASTContext.h>

#include <fmt/format.h>

namespace relayout::rewriter {

using clang::cast;

namespace {

/// `__ldg(&p[i].x)` becomes `p[i].x`, which other edits change.
void editWithoutCall(TokenEdits &edits, const clang::CallExpr &call,
                     const clang::UnaryOperator &address) {
  const std::optional<clang::SourceLocation> callee =
      edits.reader().spelled(call.getCallee()->getExprLoc());
  const std::optional<clang::Token> paren =
      callee ? edits.reader().tokenAfter(*callee) : std::nullopt;
  if (!paren)
    return edits.fail(call.getExprLoc());
  edits.replace(*callee, call.getDirectCallee()->getNameAsString(), "");
  edits.replace(paren->getLocation(), "(", "");
  edits.replace(address.getOperatorLoc(), "&", "");
  edits.replace(call.getRParenLoc(), ")", "");
}

/// `__ldg(&p[i].x)` of const records becomes `p.x(i)`, which yields a value and no address.
Step dropLoad(Climb &climb, const clang::CallExpr &call, const clang::UnaryOperator &address) {
  if (climb.isFollowed || call.getNumArgs() != 1 || call.getArg(0)->IgnoreImpCasts() != &address ||
      !clang::isa<clang::MemberExpr>(address.getSubExpr()))
    return refused(Code::FieldAddressEscapes, "the address of a field of const records is taken",
                   address.getExprLoc(), "name the field without its address");
  TokenEdits edits = climb.edits();
  editWithoutCall(edits, call, address);
  return climb.done(std::move(edits));
}

} // namespace

/// `__ldg(&p[i])` becomes `p.load(i)`.
std::optional<Step> loadedElementAddress(Climb &climb, const Place &here, const Parent &around) {
  const auto *address = dyn_cast_or_null<clang::UnaryOperator>(around.stmt);
  if (!address || address->getOpcode() != clang::UO_AddrOf)
    return std::nullopt;
  const clang::Stmt *parent = climb.program.index.parentOf(address).stmt;
  while (isa_and_nonnull<clang::ImplicitCastExpr>(parent))
    parent = climb.program.index.parentOf(parent).stmt;
  const auto *call = dyn_cast_or_null<clang::CallExpr>(parent);
  if (!call || call->getNumArgs() != 1 || !isReadOnlyLoad(runtimeName(climb.program, *call)) ||
      call->getArg(0)->IgnoreImpCasts() != address)
    return std::nullopt;
  TokenEdits edits = climb.edits();
  editWithoutCall(edits, *call, *address);
  editLoad(edits, climb, here.element, nullptr);
  return climb.done(std::move(edits));
}

/// `__ldg(p + i)` becomes `(p + i).load()`.
std::optional<Step> loadedPointer(Climb &climb, const Place &here, const Parent &around) {
  const auto *call = dyn_cast_or_null<clang::CallExpr>(around.stmt);
  if (!call || call->getNumArgs() != 1 || !isReadOnlyLoad(runtimeName(climb.program, *call)) ||
      call->getArg(0) != here.expression)
    return std::nullopt;
  climb.need(
      here.expression->getType()->getPointeeType().isConstQualified() &&
              here.expression->IgnoreImpCasts()->getType()->getPointeeType().isConstQualified()
          ? ViewOperation::LoadConst
          : ViewOperation::LoadMutable);
  TokenEdits edits = climb.edits();
  edits.replace(call->getCallee()->getExprLoc(), call->getDirectCallee()->getNameAsString(), "");
  edits.insertAfter(*call, fmt::format(".{}()", climb.target.names.load));
  return climb.done(std::move(edits));
}

/// `&p[i]` of a plain array is the view `p + i`, but to what uses the address at once.
std::optional<Step> addressOfScalar(Climb &climb, const Place &here, const Parent &around) {
  const auto *address = dyn_cast_or_null<clang::UnaryOperator>(around.stmt);
  if (!address || address->getOpcode() != clang::UO_AddrOf || !climb.target.shape.isScalar ||
      here.element.whole != here.expression)
    return std::nullopt;
  const clang::Stmt *user = climb.program.index.parentOf(address).stmt;
  while (isa_and_nonnull<clang::ImplicitCastExpr>(user))
    user = climb.program.index.parentOf(user).stmt;
  if (isa_and_nonnull<clang::ExplicitCastExpr>(user))
    return std::nullopt; // to the bits that an atomic compares
  if (const auto *call = dyn_cast_or_null<clang::CallExpr>(user)) {
    const std::string name = runtimeName(climb.program, *call);
    if (forgetsAddresses(name) || isReadOnlyLoad(name))
      return std::nullopt;
  }
  TokenEdits edits = climb.edits();
  editAddress(edits, climb, here.element, address);
  return climb.climbTo(pointerAt(address), std::move(edits));
}

/// `atomicAdd(p + i, x)` becomes `atomicAdd(&*(p + i), x)`.
std::optional<Step> forgottenPointer(Climb &climb, const Place &here, const Parent &around) {
  const auto *call = dyn_cast_or_null<clang::CallExpr>(around.stmt);
  if (!call || !climb.target.shape.isScalar || !forgetsAddresses(runtimeName(climb.program, *call)))
    return std::nullopt;
  climb.noteStore();
  TokenEdits edits = climb.edits();
  const bool wrap = !isPostfix(here.expression);
  edits.insertBefore(*here.expression, wrap ? "&*(" : "&*");
  if (wrap)
    edits.insertAfter(*here.expression, ")");
  return climb.done(std::move(edits));
}

std::optional<Step> addressOfField(Climb &, const Place &here, const Parent &around) {
  const auto *address = dyn_cast_or_null<clang::UnaryOperator>(around.stmt);
  if (!address || address->getOpcode() != clang::UO_AddrOf)
    return std::nullopt;
  return climbTo({.what = Reached::FieldAddress,
                  .expression = address,
                  .isValue = here.isValue,
                  .start = address});
}

/// atomicCAS on the bits of a float or double: the same bytes, by another name.
std::optional<Step> castFieldAddress(Climb &climb, const Place &here, const Parent &around) {
  const auto *conversion = dyn_cast_or_null<clang::CastExpr>(around.stmt);
  if (!conversion)
    return std::nullopt;
  const clang::ASTContext &context = climb.program.unit.ast();
  const clang::QualType from = here.expression->getType()->getPointeeType();
  const clang::QualType into = conversion->getType()->getPointeeType();
  if (into.isNull() || into->isVoidType() || into->isIncompleteType() ||
      context.getTypeSize(from) != context.getTypeSize(into) ||
      (from.isConstQualified() && !into.isConstQualified()))
    return std::nullopt;
  Place outside = here;
  outside.expression = conversion;
  return climbTo(std::move(outside));
}

std::optional<Step> loadedFieldAddress(Climb &climb, const Place &here, const Parent &around) {
  const auto *call = dyn_cast_or_null<clang::CallExpr>(around.stmt);
  if (!call || !isReadOnlyLoad(runtimeName(climb.program, *call)))
    return std::nullopt;
  return here.isValue ? dropLoad(climb, *call, *cast<clang::UnaryOperator>(here.start)) : done();
}

std::optional<Step> forgottenFieldAddress(Climb &climb, const Place &here, const Parent &around) {
  const auto *call = dyn_cast_or_null<clang::CallExpr>(around.stmt);
  const std::string name = call ? runtimeName(climb.program, *call) : std::string();
  if (!forgetsAddresses(name) && !changesItsState(name, here.expression->getType()))
    return std::nullopt;
  climb.noteStore();
  return done();
}

} // namespace relayout::rewriter
