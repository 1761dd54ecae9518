// SPDX-License-Identifier: Apache-2.0
// memcpy, memmove and memset of the host on arrays that it reaches, and memcpy and memset of device
// code: each becomes the generated header's function of the same meaning.
#include "legality/execution_space.h"
#include "legality/value_use.h"
#include "legality/whole_records.h"
#include "rules/constructs.h"
#include "rules/memory_calls.h"

#include <fmt/format.h>

#include <array>

namespace relayout::rewriter {
namespace {

Step refusedHere(const clang::CallExpr &call, const std::string &why, const char *remedy) {
  return refused(Code::UnsupportedCudaCall, why, call.getExprLoc(), remedy);
}

/// What copies from records, to records, and from view to view.
using Copies = std::array<ViewOperation, 3>;
constexpr Copies kByHost = {ViewOperation::HostCopyIn, ViewOperation::HostCopyOut,
                            ViewOperation::HostCopyWithin};
constexpr Copies kByDevice = {ViewOperation::DeviceCopyIn, ViewOperation::DeviceCopyOut,
                              ViewOperation::DeviceCopyWithin};

/// What the call becomes, and what it needs: a set, or a copy from or to an array of records.
Step hostCall(Climb &climb, const clang::Expr &argument, const clang::CallExpr &call,
              const std::string &name, bool isInDeviceCode) {
  const unsigned position = call.getArg(0) == &argument ? 0 : 1;
  TokenEdits edits = climb.edits();
  ViewOperation operation = isInDeviceCode ? ViewOperation::DeviceSet : ViewOperation::HostSet;
  if (name != "memset") {
    const clang::Expr &other = *call.getArg(1 - position);
    if (std::optional<Refusal> refusal = editOtherSide(climb, edits, other))
      return {.refusal = std::move(refusal)};
    const bool isWithin = isViewBeside(climb, *behindVoidCasts(&other));
    if (isWithin && name == "memmove")
      return refusedHere(call, "memmove between elements of rewritten arrays may overlap",
                         "write the loop out");
    const Copies &copies = isInDeviceCode ? kByDevice : kByHost;
    operation = copies[isWithin ? 2 : position];
  }
  climb.need(operation);
  climb.noteStore();
  const GeneratedNames &names = climb.target.names;
  const std::string meaning = name == "memset" ? name : "memcpy";
  return callInstead(climb, std::move(edits), call,
                     isInDeviceCode ? names.deviceFunctionFor(meaning)
                                    : names.hostFunctionFor(meaning),
                     &argument);
}

} // namespace

std::optional<Step> untypedInHostCall(Climb &climb, const Place &here, const Parent &around) {
  const auto *call = dyn_cast_or_null<clang::CallExpr>(around.stmt);
  const std::string name = call ? runtimeName(climb.program, *call) : std::string();
  if ((name != "memcpy" && name != "memmove" && name != "memset") || call->getNumArgs() != 3 ||
      call->getArg(2) == here.expression)
    return std::nullopt;
  const bool isInDeviceCode = isDeclaredForDevice(climb.function);
  if (isInDeviceCode && climb.function->hasAttr<clang::CUDAHostAttr>())
    return refusedHere(
        *call,
        fmt::format("'{}' in code that the device runs as well as the host is not supported", name),
        "assign the elements");
  if (!isDiscarded(climb.program.index, *call))
    return refusedHere(*call, fmt::format("what '{}' returns is used", name),
                       "make the call a statement of its own");
  if (!countsWholeRecords(climb.program, *call->getArg(2), *climb.target.record))
    return refusedHere(*call,
                       fmt::format("'{}' may end inside an element: its size is no product with "
                                   "sizeof({})",
                                   name, climb.target.shape.name),
                       "write the size as a product with sizeof of the record");
  return hostCall(climb, *here.expression, *call, name, isInDeviceCode);
}

} // namespace relayout::rewriter
