// SPDX-License-Identifier: Apache-2.0
// How much a thread of a kernel holds in variables.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <cstdint>

namespace relayout::instrument {

/// Words of 4 bytes: the variables in scope where most are, in the function and whom it calls, and
/// the parameters that are pointers. Arrays, and what is larger than 64 bytes, are left out.
[[nodiscard]] std::uint32_t countLiveWords(const clang::FunctionDecl &kernel,
                                           clang::ASTContext &context);

} // namespace relayout::instrument
