// SPDX-License-Identifier: Apache-2.0
// How many registers a thread of a kernel is likely to take: an estimate from the source.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <cstdint>

namespace relayout::instrument {

/// Registers of 4 bytes: the variables in scope where most are, in the function and whom it calls,
/// its parameters, and some for addresses and intermediate results.
/// \source  ptxas for sm_90 of 20 kernels of samples/: see docs/policy-replay.md
[[nodiscard]] std::uint32_t estimateRegisters(const clang::FunctionDecl &kernel,
                                              clang::ASTContext &context);

} // namespace relayout::instrument
