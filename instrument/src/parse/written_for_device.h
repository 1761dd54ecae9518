// SPDX-License-Identifier: Apache-2.0
// Which functions the user wrote for the device. Clang marks others by itself: templates,
// constexpr functions such as std::copy, and lambdas.
#pragma once

#include <clang/AST/Decl.h>

namespace relayout::instrument {

/// True for functions that are marked so, and for lambdas without marks that stand in one.
[[nodiscard]] bool isWrittenForDevice(const clang::FunctionDecl &function);

} // namespace relayout::instrument
