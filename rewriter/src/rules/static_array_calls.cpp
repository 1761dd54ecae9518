// SPDX-License-Identifier: Apache-2.0
// Calls of the CUDA runtime by which the host reaches an array in a variable: its address, its
// size, copies.
#include "rules/static_array_calls.h"

#include "legality/whole_records.h"
#include "relayout/base/cuda_calls.h"
#include "relayout/instrument/clang/static_arrays.h"
#include "rules/memory_calls.h"

#include <clang/AST/ASTContext.h>

#include <fmt/format.h>

namespace relayout::rewriter {
namespace {

using clang::dyn_cast;

constexpr unsigned kBytes = 2, kOffset = 3, kKind = 4;

/// Whether the side that is no variable is the host's, as far as the call says.
bool isOtherSideHosts(const clang::CallExpr &call, bool isTo) {
  const clang::Expr *kind = call.getNumArgs() > kKind ? call.getArg(kKind) : nullptr;
  if (!kind || clang::isa<clang::CXXDefaultArgExpr>(kind))
    return true;
  const auto *named = dyn_cast<clang::DeclRefExpr>(kind->IgnoreParenImpCasts());
  return named && named->getDecl()->getNameAsString() ==
                      (isTo ? "cudaMemcpyHostToDevice" : "cudaMemcpyDeviceToHost");
}

bool isZero(const clang::Expr &value, const clang::ASTContext &context) {
  const auto constant =
      value.isValueDependent() ? std::nullopt : value.getIntegerConstantExpr(context);
  return constant && *constant == 0;
}

Step copy(Climb &climb, const clang::Expr &argument, const clang::CallExpr &call,
          const CudaCall &known) {
  const bool isTo = known.symbolPosition() == 0u;
  const clang::Expr &other = *call.getArg(isTo ? 1 : 0);
  if (climb.isView(behindVoidCasts(&other)))
    return refused(Code::UnsupportedCudaCall,
                   fmt::format("'{}' copies between two rewritten arrays", known.name),
                   call.getExprLoc(),
                   "get the variable's address by cudaGetSymbolAddress, and copy by cudaMemcpy");
  TokenEdits edits = climb.edits();
  const bool takesBytes = isOtherSideHosts(call, isTo) && !climb.target.shape.hasPadding;
  if (std::optional<Refusal> refusal =
          editOtherSide(climb, edits, other, takesBytes ? OtherSide::Bytes : OtherSide::Records))
    return {.refusal = std::move(refusal)};
  HeaderParts &parts = climb.program.parts[&climb.target];
  if (call.getNumArgs() > kOffset && !clang::isa<clang::CXXDefaultArgExpr>(call.getArg(kOffset)) &&
      !isZero(*call.getArg(kOffset), climb.program.unit.ast())) {
    if (!countsWholeRecords(climb.program, *call.getArg(kOffset), *climb.target.record))
      return refused(Code::UnsupportedCudaCall,
                     "the copy's offset is not written as a number of elements",
                     call.getArg(kOffset)->getExprLoc(), "write it as first * sizeof(element)");
    climb.need(ViewOperation::VariableOffset);
    climb.need(ViewOperation::Add);
  }
  parts.onStreams |= known.name.ends_with("Async");
  parts.insideElements |=
      !countsWholeRecords(climb.program, *call.getArg(kBytes), *climb.target.record);
  climb.need(ViewOperation::VariableAddress);
  climb.need(isTo ? ViewOperation::CopyIntoVariable : ViewOperation::CopyOutOfVariable);
  climb.need(isTo ? ViewOperation::CopyIn : ViewOperation::CopyOut);
  return callInstead(climb, std::move(edits), call, climb.target.names.functionFor(known.name),
                     &argument);
}

/// What is filled in is a view, whose own use edits the call.
bool fillsInView(const Climb &climb, const clang::Expr &pointer) {
  const auto *address = dyn_cast<clang::UnaryOperator>(behindVoidCasts(&pointer));
  if (!address)
    address = dyn_cast<clang::UnaryOperator>(pointer.IgnoreParenCasts());
  return address && address->getOpcode() == clang::UO_AddrOf &&
         address->getSubExpr()->getType()->isPointerType() && climb.isView(address->getSubExpr());
}

} // namespace

Step staticArrayInCall(Climb &climb, const clang::Expr &argument, const clang::CallExpr &call) {
  const std::string name = runtimeName(climb.program, call);
  const CudaCall *known = cudaCallNamed(name);
  const auto stands = [&](unsigned position) {
    return call.getNumArgs() > position && call.getArg(position) == &argument;
  };
  if (known && known->symbolPosition() && stands(*known->symbolPosition()) &&
      call.getNumArgs() > kBytes)
    return copy(climb, argument, call, *known);
  if (name == "cudaGetSymbolAddress" && stands(1) && fillsInView(climb, *call.getArg(0)))
    return done();
  if (name == "cudaGetSymbolSize" && stands(1)) {
    climb.need(ViewOperation::VariableSize);
    return callInstead(climb, climb.edits(), call, climb.target.names.functionFor(name), &argument);
  }
  return refused(Code::UnsupportedCudaCall,
                 fmt::format("'{}' is not supported for rewritten arrays in variables",
                             name.empty() ? "a function" : name),
                 call.getExprLoc(),
                 "copy by cudaMemcpyToSymbol and cudaMemcpyFromSymbol, or get the address by "
                 "cudaGetSymbolAddress into a pointer of the array's type");
}

Step addressOfStaticArray(Climb &climb, const clang::Expr &argument, clang::QualType pointer,
                          const clang::CallExpr &call) {
  const clang::VarDecl *array =
      call.getNumArgs() > 1 ? instrument::namedStaticArray(call.getArg(1)) : nullptr;
  if (!array || climb.program.targetOf(array) != &climb.target)
    return refused(Code::UnsupportedCudaCall,
                   "'cudaGetSymbolAddress' is not supported for rewritten arrays but by their name",
                   call.getExprLoc(), "name the array itself");
  if (pointer->getPointeeType().isConstQualified())
    return refused(Code::UnsupportedCudaCall, "a pointer to const records is filled in",
                   call.getExprLoc(), "use a pointer to records that are not const");
  climb.need(ViewOperation::VariableAddress);
  return callInstead(climb, climb.edits(), call,
                     climb.target.names.functionFor("cudaGetSymbolAddress"), &argument);
}

} // namespace relayout::rewriter
