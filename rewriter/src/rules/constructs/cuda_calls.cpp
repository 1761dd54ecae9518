// SPDX-License-Identifier: Apache-2.0
// CUDA runtime calls on rewritten arrays: each becomes the generated header's function of the same
// meaning.
#include "relayout/base/cuda_calls.h"
#include "coordinates/extent_parameters.h"
#include "legality/whole_records.h"
#include "relayout/instrument/clang/launches_by_call.h"
#include "relayout/instrument/clang/static_arrays.h"
#include "rules/adapted_calls.h"
#include "rules/constructs.h"
#include "rules/memory_calls.h"
#include "rules/pointer_memory.h"
#include "rules/static_array_calls.h"
#include "rules/untyped_copies.h"

#include <clang/AST/ASTContext.h>

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

using clang::cast;
using clang::dyn_cast;
using clang::isa;

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
    const bool isPinned = known.memory == CudaMemory::Host;
    climb.need(isPinned ? ViewOperation::FreePinned : ViewOperation::Free);
    if (pointsToConst(*call.getArg(0)))
      climb.program.parts[&climb.target].freesConst = true;
    return {isPinned ? names.functionFor(known.name) : names.release, &climb.target};
  }
  if (known.kind == CudaCallKind::Hint && isFirst) {
    climb.need(operationOfHint(known, call));
    climb.program.parts[&climb.target].hintsOfConst |= pointsToConst(*call.getArg(0));
    return {names.functionFor(known.name), &climb.target};
  }
  if (known.kind == CudaCallKind::Address && position == 1)
    return {names.functionFor(known.name), &climb.target};
  if (known.kind == CudaCallKind::Set && isFirst) {
    climb.need(ViewOperation::Set);
    return {names.set, &climb.target};
  }
  if (known.kind == CudaCallKind::Copy && position <= 1)
    return replacementOfCopy(climb, call, position);
  return {};
}

/// Of a variable in device memory, with all arguments that there are.
bool staysInDevice(const clang::CallExpr &copy) {
  constexpr unsigned kKind = 4;
  if (copy.getNumArgs() <= kKind)
    return false;
  const auto *name = dyn_cast<clang::DeclRefExpr>(copy.getArg(kKind)->IgnoreParenImpCasts());
  const auto *kind = name ? dyn_cast<clang::EnumConstantDecl>(name->getDecl()) : nullptr;
  return kind &&
         (kind->getName() == "cudaMemcpyDeviceToDevice" || kind->getName() == "cudaMemcpyDefault");
}

/// `cudaMemcpyToSymbol(symbol, p, …)`, `cudaMemcpyFromSymbol(p, symbol, …)`: the variable keeps its
/// layout, and the copy converts.
Step symbolCopy(Climb &climb, const clang::Expr *argument, const clang::CallExpr &call,
                const CudaCall &known) {
  constexpr unsigned kBytes = 2;
  const bool isTo = known.symbolPosition() == 0u;
  if (const clang::VarDecl *array = instrument::namedStaticArray(call.getArg(isTo ? 0 : 1));
      array && climb.program.targetOf(array))
    return refused(Code::UnsupportedCudaCall,
                   fmt::format("'{}' copies between two rewritten arrays", known.name),
                   call.getExprLoc(),
                   "get the variable's address by cudaGetSymbolAddress, and copy by cudaMemcpy");
  if (call.getArg(isTo ? 1 : 0) != argument || !climb.program.isCuda())
    return refused(Code::UnsupportedCudaCall,
                   fmt::format("'{}' is not supported for rewritten arrays here", known.name),
                   call.getExprLoc(), "copy whole arrays to or from the variable in a CUDA file");
  if (!staysInDevice(call))
    return refused(Code::UnsupportedCudaCall,
                   fmt::format("the direction of '{}' is not named as one within the device, where "
                               "the array and the variable are",
                               known.name),
                   call.getExprLoc(), "name cudaMemcpyDeviceToDevice at the call");
  climb.need(isTo ? ViewOperation::CopyToSymbol : ViewOperation::CopyFromSymbol);
  climb.need(isTo ? ViewOperation::CopyOut : ViewOperation::CopyIn);
  HeaderParts &parts = climb.program.parts[&climb.target];
  parts.onStreams |= known.isOnStream || known.name.ends_with("Async");
  parts.insideElements |=
      !countsWholeRecords(climb.program, *call.getArg(kBytes), *climb.target.record);
  return callInstead(climb, climb.edits(), call, climb.target.names.functionFor(known.name),
                     argument);
}

Step runtimeCall(Climb &climb, const clang::Expr *argument, const clang::CallExpr &call,
                 const std::string &name) {
  if (std::optional<Step> use = pointersInCudaCall(climb, *argument))
    return *std::move(use);
  unsigned position = 0;
  while (position < call.getNumArgs() && call.getArg(position) != argument)
    ++position;
  const CudaCall *const known = cudaCallNamed(name);
  if (known && known->symbolPosition())
    return symbolCopy(climb, argument, call, *known);
  const Replacement instead =
      known && known->isGenerated ? replacementOf(climb, call, *known, position) : Replacement{};
  if (instead.name.empty())
    return refused(
        Code::UnsupportedCudaCall, fmt::format("'{}' is not supported for rewritten arrays", name),
        call.getExprLoc(), "use the calls that allocate, copy, set and free whole arrays");
  if (instead.name == instead.owner->names.convert && !climb.program.isCuda())
    return refused(Code::UnsupportedCudaCall,
                   "a copy between arrays of different layouts launches a kernel, and host C++ "
                   "cannot",
                   call.getExprLoc(), "copy in a CUDA file, or give both arrays one layout");
  TokenEdits edits = climb.edits();
  if (instead.name == climb.target.names.copy) {
    const clang::Expr &other = *call.getArg(1 - position);
    if (std::optional<Refusal> refusal =
            editOtherSide(climb, edits, other, otherSideOf(climb, call, position)))
      return {.refusal = std::move(refusal)};
    const bool isWithin = isViewBeside(climb, *behindVoidCasts(&other));
    if (!goesToArray(climb.program, climb.target, call, isWithin || position == 0))
      return refused(Code::UnsupportedCudaCall,
                     "the copy's direction says that it leaves the device, or is not known here, "
                     "and what it writes is a rewritten array",
                     call.getExprLoc(), "name the direction at the call: cudaMemcpyHostToDevice");
    climb.need(isWithin        ? ViewOperation::CopyWithin
               : position == 0 ? ViewOperation::CopyIn
                               : ViewOperation::CopyOut);
  }
  HeaderParts &parts = climb.program.parts[instead.owner];
  parts.onStreams |= known->isOnStream && known->kind != CudaCallKind::Hint;
  if ((known->kind == CudaCallKind::Copy || known->kind == CudaCallKind::Set) &&
      !countsWholeRecords(climb.program, *call.getArg(2), *instead.owner->record))
    parts.insideElements = true;
  return callInstead(climb, std::move(edits), call,
                     instead.name + (known->isOnStream ? "Async" : ""), argument);
}

/// `cudaMalloc(&p, bytes)`.
/// \param pointer  the type of what is filled in
Step allocation(Climb &climb, const clang::Expr *argument, clang::QualType pointer,
                const clang::CallExpr &call, const std::string &name) {
  const CudaCall *const known = cudaCallNamed(name);
  const bool isAddress = known && known->kind == CudaCallKind::Address;
  if (isAddress && known->memory == CudaMemory::Symbol && call.getArg(0) == argument)
    return addressOfStaticArray(climb, *argument, pointer, call);
  if (!known || (known->kind != CudaCallKind::Allocation && !isAddress) || !known->isGenerated ||
      call.getArg(0) != argument)
    return refused(Code::UnsupportedCudaCall,
                   fmt::format("'{}' is not supported for rewritten arrays", name),
                   call.getExprLoc(),
                   known && known->kind != CudaCallKind::Allocation
                       ? "the pointer's own bytes are used here; copy pointers by sizeof, and to "
                         "memory that holds such pointers"
                       : "allocate with cudaMalloc, cudaMallocAsync, cudaMallocManaged or "
                         "cudaHostAlloc");
  if (pointer->getPointeeType().isConstQualified())
    return refused(Code::UnsupportedCudaCall, "a pointer to const records is allocated",
                   call.getExprLoc(), "allocate through a pointer to records that are not const");
  climb.need(operationOf(*known));
  climb.program.parts[&climb.target].onStreams |= known->isOnStream;
  TokenEdits edits = climb.edits();
  if (!isAddress) {
    auto extents = ExtentParameters::of(climb.program)
                       .given(climb.target.layout.order, {&call, climb.function});
    if (auto *refusal = std::get_if<Refusal>(&extents))
      return {.refusal = std::move(*refusal)};
    if (const std::string &text = std::get<std::string>(extents); !text.empty())
      edits.insertAfter(*call.getArg(1), text);
  }
  return callInstead(climb, std::move(edits), call, climb.target.names.functionFor(known->name),
                     argument);
}

/// `gpuMalloc((void **)&p, bytes)`, `gpuFree(p)`: a function of the program that takes memory of
/// any type.
std::optional<Step> ownCallOf(Climb &climb, const clang::CallExpr &call,
                              const clang::Expr &argument) {
  const clang::FunctionDecl *callee = call.getDirectCallee();
  const clang::ParmVarDecl *parameter = parameterFor(call, argument);
  if (!callee || !parameter || !isUsers(climb.program, *callee) ||
      instrument::untypedLevel(parameter->getType()) == 0 || climb.flowsInto(parameter))
    return std::nullopt;
  const clang::QualType given = argument.IgnoreParenCasts()->getType();
  if (instrument::untypedLevel(parameter->getType()) == 1 && given->isPointerType() &&
      given->getPointeeType()->isPointerType())
    return std::nullopt; // the bytes of pointers
  const instrument::UntypedFunction function = instrument::readUntyped(*callee);
  if (function.obstacle.empty() &&
      function.pointerOf(function.function->getParamDecl(parameter->getFunctionScopeIndex())) ==
          instrument::UntypedFunction::kNone)
    return std::nullopt; // text
  if (!function.obstacle.empty())
    if (std::optional<Step> adapted = adaptedCall(climb, call, argument, *parameter))
      return adapted;
  auto copy = untypedCopyFor(climb.program, call, climb.target);
  if (auto *refusal = std::get_if<Refusal>(&copy))
    return Step{.refusal = std::move(*refusal)};
  TokenEdits edits = climb.edits();
  if (std::optional<Refusal> refusal =
          editUntypedCall(climb.program, edits, call, *std::get<const UntypedCopy *>(copy)))
    return Step{.refusal = std::move(refusal)};
  return climb.done(std::move(edits));
}

/// The address of a pointer as an argument: of an allocation, or of a function that fills it in.
std::optional<Step> addressInCall(Climb &climb, const clang::Expr &address) {
  if (std::optional<Step> use = pointersInCudaCall(climb, address))
    return use;
  const clang::Expr *current = &address;
  bool isOtherType = false;
  while (const auto *parent =
             dyn_cast_or_null<clang::Expr>(climb.program.index.parentOf(current).stmt)) {
    if (const auto *call = dyn_cast<clang::CallExpr>(parent)) {
      const std::string name = runtimeName(climb.program, *call);
      if (name.starts_with("cuda"))
        return allocation(climb, current, address.getType()->getPointeeType(), *call, name);
      if (std::optional<Step> use = ownCallOf(climb, *call, *current))
        return use;
      if (name.empty() && !isOtherType && climb.flowsInto(parameterFor(*call, *current)))
        return done();
      return std::nullopt;
    }
    if (!isa<clang::ParenExpr, clang::ImplicitCastExpr>(parent) && !isVoidPointerCast(parent) &&
        !isAddressCast(parent))
      return std::nullopt;
    isOtherType |= !isVoidPointerCast(parent) && isAddressCast(parent);
    current = parent;
  }
  return std::nullopt;
}

/// `void *arguments[] = {&p, …}`, of which launches copy the view into the kernel's parameter:
/// those to const records are made of the same planes.
bool isForLaunches(const Climb &climb, const clang::UnaryOperator &address) {
  const ParentIndex &index = climb.program.index;
  const clang::Stmt *current = &address;
  while (isa_and_nonnull<clang::ParenExpr, clang::CastExpr>(index.parentOf(current).stmt))
    current = index.parentOf(current).stmt;
  const auto *list = dyn_cast_or_null<clang::InitListExpr>(index.parentOf(current).stmt);
  const auto *array = list ? dyn_cast_or_null<clang::VarDecl>(index.parentOf(list).decl) : nullptr;
  const auto gives = [&](const clang::DeclRefExpr *name) {
    const clang::Stmt *use = index.parentOf(name).stmt;
    if (isa_and_nonnull<clang::ImplicitCastExpr>(use))
      use = index.parentOf(use).stmt;
    const auto *call = dyn_cast_or_null<clang::CallExpr>(use);
    const auto launch = call ? instrument::launchByCall(*call) : std::nullopt;
    if (!launch || launch->addresses != array)
      return false;
    const auto given = std::ranges::find(launch->arguments, address.getSubExpr());
    return given != launch->arguments.end() &&
           climb.flowsInto(launch->kernel->getParamDecl(
               static_cast<unsigned>(given - launch->arguments.begin())));
  };
  return array && std::ranges::all_of(index.referencesTo(array), gives);
}

} // namespace

/// `&p`: only where cudaMalloc, or a function, fills the pointer in, or a launch hands it over.
std::optional<Step> addressOfPointer(Climb &climb, const Place &, const Parent &around) {
  const auto *address = dyn_cast_or_null<clang::UnaryOperator>(around.stmt);
  if (!address || address->getOpcode() != clang::UO_AddrOf)
    return std::nullopt;
  if (std::optional<Step> use = addressInCall(climb, *address))
    return use;
  if (isForLaunches(climb, *address))
    return done();
  return refused(Code::PointerToPointer, "the address of the pointer is taken",
                 address->getExprLoc(),
                 "only cudaMalloc and parameters may take it; return the pointer by value instead");
}

/// `R **out`: what is filled in is `*out` or `out[k]`, and others may be passed it to fill in.
std::optional<Step> pointerToPointer(Climb &climb, const Place &here, const Parent &around) {
  const clang::QualType type = here.expression->getType();
  if (!type->isPointerType() || !type->getPointeeType()->isPointerType())
    return std::nullopt;
  const auto *conversion = dyn_cast_or_null<clang::ImplicitCastExpr>(around.stmt);
  if (conversion && conversion->getCastKind() == clang::CK_LValueToRValue)
    return climbTo(pointerAt(conversion));
  if (isa_and_nonnull<clang::ParenExpr>(around.stmt))
    return climbTo(pointerAt(cast<clang::Expr>(around.stmt)));
  const auto *unary = dyn_cast_or_null<clang::UnaryOperator>(around.stmt);
  if (unary && unary->getOpcode() == clang::UO_Deref)
    return climbTo(pointerAt(unary));
  if (unary && unary->getOpcode() == clang::UO_AddrOf)
    if (std::optional<Step> use = pointersInCudaCall(climb, *unary))
      return use;
  const auto *subscript = dyn_cast_or_null<clang::ArraySubscriptExpr>(around.stmt);
  if (subscript && subscript->getBase() == here.expression)
    return climbTo(pointerAt(subscript));
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

std::optional<Step> untypedInOwnCall(Climb &climb, const Place &here, const Parent &around) {
  const auto *call = dyn_cast_or_null<clang::CallExpr>(around.stmt);
  return call ? ownCallOf(climb, *call, *here.expression) : std::nullopt;
}

std::optional<Step> untypedInCast(Climb &, const Place &here, const Parent &around) {
  const auto *conversion = dyn_cast_or_null<clang::CastExpr>(around.stmt);
  if (!isa_and_nonnull<clang::ParenExpr>(around.stmt) &&
      !(conversion && instrument::untypedLevel(conversion->getType()) == 1))
    return std::nullopt;
  Place outside = here;
  outside.expression = cast<clang::Expr>(around.stmt);
  return climbTo(std::move(outside));
}

} // namespace relayout::rewriter
