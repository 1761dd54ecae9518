// SPDX-License-Identifier: Apache-2.0
// Calls that take the address of an array without its type, of CUDA's runtime and of the host's
// library: what their rules share.
#pragma once

#include "relayout/base/cuda_calls.h"
#include "rules/climb.h"

namespace relayout::rewriter {

/// The direction that a copy names; empty for what is computed.
[[nodiscard]] std::string directionOf(const clang::CallExpr &copy);

/// To `void *`, `void **`, or those of `char`.
[[nodiscard]] bool isVoidPointerCast(const clang::Expr *expression);

/// `(T **)&p`, also where p is a pointer to something else: an allocation fills in any pointer.
[[nodiscard]] bool isAddressCast(const clang::Expr *expression);

/// The expression below casts to `void *` and `void **`.
[[nodiscard]] const clang::Expr *behindVoidCasts(const clang::Expr *expression);

/// The call of the header's function in place of another, without the argument's casts.
[[nodiscard]] Step callInstead(Climb &climb, TokenEdits edits, const clang::CallExpr &call,
                               const std::string &name, const clang::Expr *argument);

/// Drops one cast, which a view cannot have.
void dropCast(TokenEdits &edits, const clang::ExplicitCastExpr &conversion);

/// Drops the casts to `void *` and to other pointers around an argument.
[[nodiscard]] std::optional<Refusal> dropVoidCasts(TokenEdits &edits, const clang::Expr *argument);

/// Whether an argument, without its casts, points to const.
[[nodiscard]] bool pointsToConst(const clang::Expr &argument);

/// `cudaFree(const_cast<R *>(p))`, with any cast: what frees takes no pointers to const.
[[nodiscard]] bool dropsConstToFree(const Program &program, const clang::CastExpr &conversion);

/// What the generated header has in place of an allocation, or of cudaHostGetDevicePointer.
[[nodiscard]] ViewOperation operationOf(const CudaCall &call);

/// The same of what tells where memory should be. CUDA 13 names places by cudaMemLocation, versions
/// before it devices by their number.
[[nodiscard]] ViewOperation operationOfHint(const CudaCall &known, const clang::CallExpr &call);

/// Of arrays that the host reaches: whether the copy's direction says that it writes one of them.
/// What a copy to the host carries is compared, and would be in another layout.
[[nodiscard]] bool goesToArray(Program &program, const Target &target, const clang::CallExpr &call,
                               bool writesArray);

/// True for views, but not for a null pointer that is written as a number.
[[nodiscard]] bool isViewBeside(const Climb &climb, const clang::Expr &side);

/// What the other pointer of a copy may point to.
enum class OtherSide {
  Records,
  Bytes ///< of any type: the copy's direction says that it is the host's
};

/// \param position  of the array among the copy's arguments
[[nodiscard]] OtherSide otherSideOf(const Climb &climb, const clang::CallExpr &copy,
                                    unsigned position);

/// Edits the other pointer of a copy: a view of the same record, or memory of the host.
[[nodiscard]] std::optional<Refusal> editOtherSide(Climb &climb, TokenEdits &edits,
                                                   const clang::Expr &argument,
                                                   OtherSide allowed = OtherSide::Records);

} // namespace relayout::rewriter
