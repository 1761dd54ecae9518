// SPDX-License-Identifier: Apache-2.0
// CUDA runtime calls on rewritten arrays: each becomes the generated header's function of the same
// meaning.
#include "relayout/base/cuda_calls.h"
#include "legality/whole_records.h"
#include "relayout/instrument/clang/scalar_records.h"
#include "relayout/instrument/clang/size_factors.h"
#include "rules/constructs.h"

#include <clang/AST/ASTContext.h>

#include <fmt/format.h>

namespace relayout::rewriter {
namespace {

using clang::cast;
using clang::dyn_cast;
using clang::isa;

bool isVoidPointerCast(const clang::Expr *expression) {
  const auto *conversion = dyn_cast<clang::ExplicitCastExpr>(expression);
  if (!conversion || !conversion->getType()->isPointerType())
    return false;
  const clang::QualType pointee = conversion->getType()->getPointeeType();
  return pointee->isVoidType() || pointee->isVoidPointerType();
}

/// The expression below casts to `void *` and `void **`.
const clang::Expr *behindVoidCasts(const clang::Expr *expression) {
  expression = expression->IgnoreParenImpCasts();
  while (isVoidPointerCast(expression))
    expression = cast<clang::ExplicitCastExpr>(expression)->getSubExpr()->IgnoreParenImpCasts();
  return expression;
}

void dropVoidCast(TokenEdits &edits, const clang::ExplicitCastExpr &conversion) {
  clang::SourceRange opening;
  if (const auto *cStyle = dyn_cast<clang::CStyleCastExpr>(&conversion)) {
    opening = {cStyle->getLParenLoc(), cStyle->getRParenLoc()};
  } else {
    const auto &named = cast<clang::CXXNamedCastExpr>(conversion);
    const std::optional<clang::SourceLocation> close =
        edits.reader().spelled(named.getAngleBrackets().getEnd());
    const std::optional<clang::Token> paren =
        close ? edits.reader().tokenAfter(*close) : std::nullopt;
    if (!paren || edits.reader().text(*paren) != "(")
      return edits.fail(conversion.getExprLoc());
    edits.replace(named.getRParenLoc(), ")", "");
    opening = {named.getOperatorLoc(), paren->getLocation()};
  }
  const std::optional<clang::SourceLocation> first = edits.reader().spelled(opening.getBegin());
  const std::optional<clang::SourceLocation> last = edits.reader().spelled(opening.getEnd());
  const std::optional<FileRange> range =
      first && last ? edits.reader().range({*first, *last}) : std::nullopt;
  if (!range)
    return edits.fail(conversion.getExprLoc());
  edits.add({withSpaceBehind(*range, edits.reader()), ""});
}

/// Drops the casts to `void *` around an argument, which a view cannot have.
std::optional<Refusal> dropVoidCasts(TokenEdits &edits, const clang::Expr *argument) {
  const clang::Expr *current = argument->IgnoreParenImpCasts();
  while (isVoidPointerCast(current)) {
    if (!isa<clang::CStyleCastExpr, clang::CXXNamedCastExpr>(current))
      return Refusal{Code::PointerEscapes, "the pointer is cast in an unusual way",
                     current->getExprLoc(), "leave the cast out"};
    const auto *conversion = cast<clang::ExplicitCastExpr>(current);
    dropVoidCast(edits, *conversion);
    current = conversion->getSubExpr()->IgnoreParenImpCasts();
  }
  return std::nullopt;
}

/// The call of the header's function in place of a runtime call.
Step callInstead(Climb &climb, TokenEdits edits, const clang::CallExpr &call,
                 const std::string &name, const clang::Expr *argument) {
  const auto *callee = dyn_cast<clang::DeclRefExpr>(call.getCallee()->IgnoreParenImpCasts());
  if (!callee)
    return refused(Code::UnsupportedCudaCall, "the runtime function is not called by its name",
                   call.getExprLoc(), "call it by its name");
  if (callee->hasQualifier() || callee->hasExplicitTemplateArgs()) { // `::cudaMalloc<R>`
    if (const std::optional<FileRange> whole = edits.reader().range(callee->getSourceRange()))
      edits.add({*whole, name});
    else
      edits.fail(callee->getExprLoc());
  } else {
    edits.replace(callee->getLocation(), callee->getNameInfo().getAsString(), name);
  }
  if (std::optional<Refusal> refusal = dropVoidCasts(edits, argument))
    return {.refusal = std::move(refusal)};
  return climb.done(std::move(edits));
}

/// The layout of the other pointer of a copy, where it is a view of this record's in another one.
const Target *otherLayout(const Climb &climb, const clang::Expr &argument) {
  const clang::Expr *side = behindVoidCasts(&argument);
  if (!side->getType()->isPointerType() || climb.isView(side))
    return nullptr;
  for (const auto &[group, target] : climb.program.targets)
    if (target->record == climb.target.record && isView(climb.program, side, *target))
      return target;
  return nullptr;
}

/// The other pointer of a copy: a view of the same record, or an array of records of the host.
std::optional<Refusal> editOtherSide(Climb &climb, TokenEdits &edits, const clang::Expr &argument) {
  const clang::Expr *side = behindVoidCasts(&argument);
  const clang::ASTContext &context = climb.program.unit.ast();
  if (climb.isView(side) && !side->getType()->isIntegralType(context)) {
    climb.need(ViewOperation::CopyWithin);
    return std::nullopt; // a use of its own
  }
  clang::QualType pointee;
  if (side->getType()->isPointerType())
    pointee = side->getType()->getPointeeType();
  else if (side->getType()->isArrayType())
    pointee = side->getType()->getAsArrayTypeUnsafe()->getElementType();
  const bool isOfRows = !pointee.isNull() && pointee->isArrayType();
  if (isOfRows)
    pointee = context.getBaseElementType(pointee);
  const clang::CXXRecordDecl *record =
      pointee.isNull() ? nullptr : instrument::elementRecordOf(pointee);
  if (!record || record->getCanonicalDecl() != climb.target.record->getCanonicalDecl() ||
      pointee.isVolatileQualified())
    return Refusal{
        Code::UnsupportedCudaCall,
        fmt::format("the other side of the copy is not a pointer to '{}'", climb.target.shape.name),
        side->getExprLoc(), "copy whole records, through a pointer to them"};
  if (isOfRows) { // not the pointer that the header's function takes
    const bool wrap = isa<clang::BinaryOperator, clang::ConditionalOperator>(side);
    edits.insertBefore(
        *side, fmt::format("({}{} *){}", pointee.isConstQualified() ? "const " : "",
                           spelledFor(climb.target, climb.target.shape.name, climb.function),
                           wrap ? "(" : ""));
    if (wrap)
      edits.insertAfter(*side, ")");
  }
  return dropVoidCasts(edits, &argument);
}

/// What is called in place of a runtime call that takes a view, and whose header has it.
struct Replacement {
  std::string name; ///< empty: there is none
  const Target *owner = nullptr;
};

Replacement replacementOfCopy(Climb &climb, const clang::CallExpr &call, unsigned position) {
  const GeneratedNames &names = climb.target.names;
  if (const Target *other = otherLayout(climb, *call.getArg(1 - position))) {
    const Target *owner = position == 0 ? &climb.target : other;
    const Target *source = position == 0 ? other : &climb.target;
    climb.program.parts[owner].conversions = true;
    climb.program.parts[source].operations.insert(
        {ViewOperation::LoadConst, ViewOperation::LoadMutable});
    return {owner->names.convert, owner};
  }
  return {names.copy, &climb.target};
}

Replacement replacementOf(Climb &climb, const clang::CallExpr &call, const CudaCall &known,
                          unsigned position) {
  const GeneratedNames &names = climb.target.names;
  const bool isFirst = position == 0;
  if (known.kind == CudaCallKind::Free && isFirst) {
    climb.need(ViewOperation::Free);
    return {names.release, &climb.target};
  }
  if (known.kind == CudaCallKind::Set && isFirst) {
    climb.need(ViewOperation::Set);
    return {names.set, &climb.target};
  }
  if (known.kind == CudaCallKind::Copy && position <= 1)
    return replacementOfCopy(climb, call, position);
  return {};
}

Step runtimeCall(Climb &climb, const clang::Expr *argument, const clang::CallExpr &call,
                 const std::string &name) {
  unsigned position = 0;
  while (position < call.getNumArgs() && call.getArg(position) != argument)
    ++position;
  const CudaCall *const known = cudaCallNamed(name);
  const Replacement instead =
      known && known->isGenerated ? replacementOf(climb, call, *known, position) : Replacement{};
  if (instead.name.empty())
    return refused(Code::UnsupportedCudaCall,
                   fmt::format("'{}' is not supported for rewritten arrays", name),
                   call.getExprLoc(),
                   "use cudaMalloc, cudaMemcpy, cudaMemset and cudaFree, or these on streams");
  if (instead.name == instead.owner->names.convert && !climb.program.isCuda())
    return refused(Code::UnsupportedCudaCall,
                   "a copy between arrays of different layouts launches a kernel, and host C++ "
                   "cannot",
                   call.getExprLoc(), "copy in a CUDA file, or give both arrays one layout");
  TokenEdits edits = climb.edits();
  if (instead.name == climb.target.names.copy) {
    if (std::optional<Refusal> refusal = editOtherSide(climb, edits, *call.getArg(1 - position)))
      return {.refusal = std::move(refusal)};
    if (!climb.isView(behindVoidCasts(call.getArg(1 - position))))
      climb.need(position == 0 ? ViewOperation::CopyIn : ViewOperation::CopyOut);
  }
  HeaderParts &parts = climb.program.parts[instead.owner];
  parts.onStreams |= known->isOnStream;
  if (known->kind != CudaCallKind::Free &&
      !countsWholeRecords(climb.program, *call.getArg(2), *instead.owner->record))
    parts.insideElements = true;
  return callInstead(climb, std::move(edits), call,
                     instead.name + (known->isOnStream ? "Async" : ""), argument);
}

/// Extents that are known at run time, behind the number of bytes: each as this allocation writes
/// it.
std::optional<Refusal> giveExtents(TokenEdits &edits, const Climb &climb,
                                   const clang::CallExpr &call) {
  const std::vector<std::string> factors = instrument::extentNames(
      call, climb.function, instrument::passedNames(climb.program.unit.ast()));
  std::string given;
  for (const std::string &text : climb.target.layout.order.texts) {
    if (text.empty())
      continue;
    // Of a product both factors; numbers are the same everywhere.
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find(" * ", begin), text.size());
      const std::string factor = text.substr(begin, end - begin);
      const bool isNumber = factor.find_first_not_of("0123456789") == std::string::npos;
      if (!isNumber && std::ranges::find(factors, factor) == factors.end())
        return Refusal{Code::UnsupportedCudaCall,
                       fmt::format("the extent '{}' is not visible at this allocation", factor),
                       call.getExprLoc(), "allocate where the extents are known"};
      begin = end + 3;
    }
    given += ", " + text;
  }
  if (!given.empty())
    edits.insertAfter(*call.getArg(1), given);
  return std::nullopt;
}

/// `cudaMalloc(&p, bytes)`.
/// \param pointer  the type of what is filled in
Step allocation(Climb &climb, const clang::Expr *argument, clang::QualType pointer,
                const clang::CallExpr &call, const std::string &name) {
  const CudaCall *const known = cudaCallNamed(name);
  if (!known || known->kind != CudaCallKind::Allocation || !known->isGenerated ||
      call.getArg(0) != argument)
    return refused(Code::UnsupportedCudaCall,
                   fmt::format("'{}' is not supported for rewritten arrays", name),
                   call.getExprLoc(), "allocate with cudaMalloc or cudaMallocAsync");
  if (pointer->getPointeeType().isConstQualified())
    return refused(Code::UnsupportedCudaCall, "a pointer to const records is allocated",
                   call.getExprLoc(), "allocate through a pointer to records that are not const");
  climb.program.parts[&climb.target].onStreams |= known->isOnStream;
  TokenEdits edits = climb.edits();
  if (std::optional<Refusal> refusal = giveExtents(edits, climb, call))
    return {.refusal = std::move(refusal)};
  return callInstead(climb, std::move(edits), call,
                     climb.target.names.allocate + (known->isOnStream ? "Async" : ""), argument);
}

/// The address of a pointer as an argument: of an allocation, or of a function that fills it in.
std::optional<Step> addressInCall(Climb &climb, const clang::Expr &address) {
  const clang::Expr *current = &address;
  while (const auto *parent =
             dyn_cast_or_null<clang::Expr>(climb.program.index.parentOf(current).stmt)) {
    if (const auto *call = dyn_cast<clang::CallExpr>(parent)) {
      const std::string name = runtimeName(climb.program, *call);
      if (name.starts_with("cuda"))
        return allocation(climb, current, address.getType()->getPointeeType(), *call, name);
      if (name.empty() && climb.flowsInto(parameterFor(*call, *current)))
        return done();
      return std::nullopt;
    }
    if (!isa<clang::ParenExpr, clang::ImplicitCastExpr>(parent) && !isVoidPointerCast(parent))
      return std::nullopt;
    current = parent;
  }
  return std::nullopt;
}

} // namespace

/// `&p`: only where cudaMalloc, or a function, fills the pointer in.
std::optional<Step> addressOfPointer(Climb &climb, const Place &, const Parent &around) {
  const auto *address = dyn_cast_or_null<clang::UnaryOperator>(around.stmt);
  if (!address || address->getOpcode() != clang::UO_AddrOf)
    return std::nullopt;
  if (std::optional<Step> use = addressInCall(climb, *address))
    return use;
  return refused(Code::PointerToPointer, "the address of the pointer is taken",
                 address->getExprLoc(),
                 "only cudaMalloc and parameters may take it; return the pointer by value instead");
}

/// `R **out`: what is filled in is `*out`, and others may be passed it to fill in.
std::optional<Step> pointerToPointer(Climb &climb, const Place &here, const Parent &around) {
  const clang::QualType type = here.expression->getType();
  if (!type->isPointerType() || !type->getPointeeType()->isPointerType())
    return std::nullopt;
  const auto *conversion = dyn_cast_or_null<clang::ImplicitCastExpr>(around.stmt);
  if (conversion && conversion->getCastKind() == clang::CK_LValueToRValue)
    return climbTo(pointerAt(conversion));
  if (isa_and_nonnull<clang::ParenExpr>(around.stmt))
    return climbTo(pointerAt(cast<clang::Expr>(around.stmt)));
  const auto *dereference = dyn_cast_or_null<clang::UnaryOperator>(around.stmt);
  if (dereference && dereference->getOpcode() == clang::UO_Deref)
    return climbTo(pointerAt(dereference));
  if (std::optional<Step> use = addressInCall(climb, *here.expression))
    return use;
  return refused(Code::PointerToPointer, "a pointer to the pointer is used in another way",
                 here.expression->getExprLoc(), "only fill in what it points to, or pass it on");
}

std::optional<Step> pointerInCudaCall(Climb &climb, const Place &here, const Parent &around) {
  const auto *call = dyn_cast_or_null<clang::CallExpr>(around.stmt);
  const std::string name = call ? runtimeName(climb.program, *call) : std::string();
  if (!name.starts_with("cuda"))
    return std::nullopt;
  return runtimeCall(climb, here.expression, *call, name);
}

std::optional<Step> untypedInCudaCall(Climb &climb, const Place &here, const Parent &around) {
  return pointerInCudaCall(climb, here, around);
}

std::optional<Step> untypedInCast(Climb &, const Place &here, const Parent &around) {
  const auto *conversion = dyn_cast_or_null<clang::CastExpr>(around.stmt);
  if (!isa_and_nonnull<clang::ParenExpr>(around.stmt) &&
      !(conversion && conversion->getType()->isVoidPointerType()))
    return std::nullopt;
  Place outside = here;
  outside.expression = cast<clang::Expr>(around.stmt);
  return climbTo(std::move(outside));
}

} // namespace relayout::rewriter
