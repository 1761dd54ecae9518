// SPDX-License-Identifier: Apache-2.0
// What the rules for CUDA's memory calls and the host's share: casts to `void *`, the other side of
// a copy, and the edit of the call itself.
#include "rules/memory_calls.h"

#include "legality/execution_space.h"
#include "legality/object_parts.h"
#include "relayout/instrument/clang/scalar_records.h"
#include "relayout/instrument/clang/untyped_functions.h"

#include <clang/AST/ASTContext.h>

#include <fmt/format.h>

namespace relayout::rewriter {

using clang::cast;
using clang::dyn_cast;
using clang::isa;

bool isVoidPointerCast(const clang::Expr *expression) {
  const auto *conversion = dyn_cast<clang::ExplicitCastExpr>(expression);
  if (!conversion || !conversion->getType()->isPointerType())
    return false;
  return instrument::untypedLevel(conversion->getType()) != 0 && !keepsPointer(*conversion);
}

bool isAddressCast(const clang::Expr *expression) {
  const auto *conversion = dyn_cast<clang::ExplicitCastExpr>(expression);
  const auto isPointerToPointer = [](clang::QualType type) {
    return type->isPointerType() && type->getPointeeType()->isPointerType();
  };
  return conversion && isPointerToPointer(conversion->getType()) &&
         isPointerToPointer(conversion->getSubExpr()->getType());
}

const clang::Expr *behindVoidCasts(const clang::Expr *expression) {
  expression = expression->IgnoreParenImpCasts();
  while (isVoidPointerCast(expression))
    expression = cast<clang::ExplicitCastExpr>(expression)->getSubExpr()->IgnoreParenImpCasts();
  return expression;
}

void dropCast(TokenEdits &edits, const clang::ExplicitCastExpr &conversion) {
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

std::optional<Refusal> dropVoidCasts(TokenEdits &edits, const clang::Expr *argument) {
  const clang::Expr *current = argument->IgnoreParenImpCasts();
  while (isVoidPointerCast(current) || isAddressCast(current)) {
    if (!isa<clang::CStyleCastExpr, clang::CXXNamedCastExpr>(current))
      return Refusal{Code::PointerEscapes, "the pointer is cast in an unusual way",
                     current->getExprLoc(), "leave the cast out"};
    const auto *conversion = cast<clang::ExplicitCastExpr>(current);
    dropCast(edits, *conversion);
    current = conversion->getSubExpr()->IgnoreParenImpCasts();
  }
  return std::nullopt;
}

bool pointsToConst(const clang::Expr &argument) {
  const clang::QualType type = argument.IgnoreParenCasts()->getType();
  return type->isPointerType() && type->getPointeeType().isConstQualified();
}

bool dropsConstToFree(const Program &program, const clang::CastExpr &conversion) {
  const clang::QualType from = conversion.getSubExpr()->getType(), into = conversion.getType();
  if (!isa<clang::CStyleCastExpr, clang::CXXConstCastExpr>(conversion) || !from->isPointerType() ||
      !into->isPointerType() ||
      !clang::ASTContext::hasSameUnqualifiedType(from->getPointeeType(), into->getPointeeType()))
    return false;
  const clang::Stmt *child = &conversion;
  const clang::Stmt *parent = program.index.parentOf(child).stmt;
  while (isa_and_nonnull<clang::ParenExpr, clang::CastExpr>(parent))
    parent = program.index.parentOf(child = parent).stmt;
  const auto *call = dyn_cast_or_null<clang::CallExpr>(parent);
  const CudaCall *known = call ? cudaCallNamed(runtimeName(program, *call)) : nullptr;
  return known && known->kind == CudaCallKind::Free && call->getNumArgs() > 0 &&
         call->getArg(0) == child;
}

ViewOperation operationOfHint(const CudaCall &known, const clang::CallExpr &call) {
  const bool isByLocation =
      std::any_of(call.arg_begin(), call.arg_end(),
                  [](const clang::Expr *argument) { return argument->getType()->isRecordType(); });
  if (known.name == "cudaMemAdvise")
    return isByLocation ? ViewOperation::Advise : ViewOperation::AdviseForDevice;
  return isByLocation ? ViewOperation::Prefetch : ViewOperation::PrefetchToDevice;
}

ViewOperation operationOf(const CudaCall &call) {
  if (call.kind == CudaCallKind::Address)
    return ViewOperation::DevicePointer;
  if (call.memory == CudaMemory::Managed)
    return ViewOperation::AllocateManaged;
  if (call.memory == CudaMemory::Host)
    return call.name == "cudaMallocHost" ? ViewOperation::AllocatePinned
                                         : ViewOperation::AllocateMapped;
  return ViewOperation::Allocate;
}

std::string directionOf(const clang::CallExpr &copy) {
  const auto *named = copy.getNumArgs() < 4
                          ? nullptr
                          : dyn_cast<clang::DeclRefExpr>(copy.getArg(3)->IgnoreParenImpCasts());
  return named ? named->getDecl()->getNameAsString() : std::string();
}

namespace {

bool isAnyView(const Climb &climb, const clang::Expr &side) {
  return std::ranges::any_of(climb.program.targets, [&](const auto &entry) {
    return isView(climb.program, &side, *entry.second);
  });
}

/// Whether a cast may stand before the expression as it is.
bool bindsTighterThanCast(const clang::Expr &expression) {
  return isa<clang::DeclRefExpr, clang::MemberExpr, clang::ParenExpr, clang::UnaryOperator,
             clang::ArraySubscriptExpr, clang::CStyleCastExpr, clang::CXXNamedCastExpr>(
             expression) ||
         (isa<clang::CallExpr>(expression) && !isa<clang::CXXOperatorCallExpr>(expression));
}

} // namespace

bool goesToArray(Program &program, const Target &target, const clang::CallExpr &call,
                 bool writesArray) {
  if (!writesArray || !program.parts[&target].reachesHost || call.getNumArgs() < 4)
    return true;
  const bool isPinned = std::ranges::any_of(program.targets, [&](const auto &entry) {
    return entry.second == &target && program.flow.groups()[entry.first].origins.pinned;
  });
  const std::string name = directionOf(call);
  return name == "cudaMemcpyHostToDevice" || name == "cudaMemcpyHostToHost" ||
         name == "cudaMemcpyDeviceToDevice" || (name == "cudaMemcpyDefault" && !isPinned);
}

Step callInstead(Climb &climb, TokenEdits edits, const clang::CallExpr &call,
                 const std::string &name, const clang::Expr *argument) {
  const auto *callee = dyn_cast<clang::DeclRefExpr>(call.getCallee()->IgnoreParenImpCasts());
  if (!callee)
    return refused(Code::UnsupportedCudaCall, "the runtime function is not called by its name",
                   call.getExprLoc(), "call it by its name");
  const std::string called = callee->getNameInfo().getAsString();
  if (called.starts_with("cuda") && isDeclaredForDevice(climb.function))
    return refused(Code::UnsupportedCudaCall, fmt::format("device code calls '{}' for it", called),
                   call.getExprLoc(), "call it in host code");
  if (callee->hasQualifier() || callee->hasExplicitTemplateArgs()) { // `::cudaMalloc<R>`
    if (const std::optional<FileRange> whole = edits.reader().range(callee->getSourceRange()))
      edits.add({*whole, name});
    else
      edits.fail(callee->getExprLoc());
  } else {
    edits.replace(callee->getLocation(), called, name);
  }
  if (std::optional<Refusal> refusal = dropVoidCasts(edits, argument))
    return {.refusal = std::move(refusal)};
  return climb.done(std::move(edits));
}

bool isViewBeside(const Climb &climb, const clang::Expr &side) {
  return climb.isView(&side) && !side.getType()->isIntegralType(climb.program.unit.ast());
}

OtherSide otherSideOf(const Climb &climb, const clang::CallExpr &copy, unsigned position) {
  const clang::Expr *side = behindVoidCasts(copy.getArg(1 - position));
  const clang::QualType type = side->getType();
  const bool isHosts =
      directionOf(copy) == (position == 0 ? "cudaMemcpyHostToDevice" : "cudaMemcpyDeviceToHost");
  // Bytes between fields are not kept, and arrays that the host reaches are loaded by elements.
  return isHosts && (type->isPointerType() || type->isArrayType()) &&
                 !climb.target.shape.hasPadding &&
                 !climb.program.parts[&climb.target].reachesHost && !isAnyView(climb, *side)
             ? OtherSide::Bytes
             : OtherSide::Records;
}

std::optional<Refusal> editOtherSide(Climb &climb, TokenEdits &edits, const clang::Expr &argument,
                                     OtherSide allowed) {
  const clang::Expr *side = behindVoidCasts(&argument);
  const clang::ASTContext &context = climb.program.unit.ast();
  if (isViewBeside(climb, *side))
    return std::nullopt; // a use of its own
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
  const bool isOfRecords =
      record && record->getCanonicalDecl() == climb.target.record->getCanonicalDecl();
  if ((!isOfRecords && allowed == OtherSide::Records) || pointee.isVolatileQualified())
    return Refusal{
        Code::UnsupportedCudaCall,
        fmt::format("the other side of the copy is not a pointer to '{}'", climb.target.shape.name),
        side->getExprLoc(), "copy whole records, through a pointer to them"};
  if (isOfRows || !isOfRecords) { // not the pointer that the header's function takes
    const bool wrap = !bindsTighterThanCast(*side);
    edits.insertBefore(
        *side, fmt::format("({}{} *){}", pointee.isConstQualified() ? "const " : "",
                           spelledFor(climb.target, climb.target.shape.name, climb.function),
                           wrap ? "(" : ""));
    if (wrap)
      edits.insertAfter(*side, ")");
  }
  return dropVoidCasts(edits, &argument);
}

} // namespace relayout::rewriter
