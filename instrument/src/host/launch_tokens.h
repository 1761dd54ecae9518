// SPDX-License-Identifier: Apache-2.0
// Lowering: where the parts of a launch `kernel<<<settings>>>(arguments)` are.
#pragma once

#include "relayout/instrument/clang/token_edits.h"

#include <clang/AST/ExprCXX.h>

#include <optional>
#include <utility>

namespace relayout::instrument {

struct LaunchTokens {
  TokenEdits::Index first = 0; ///< of what is launched
  TokenEdits::Index open = 0;  ///< <<<
  TokenEdits::Index end = 0;   ///< >>>, with the opening parenthesis behind it
  TokenEdits::Index close = 0; ///< the closing parenthesis
};

/// \returns  nothing where a macro has a part of it
[[nodiscard]] std::optional<LaunchTokens> launchTokens(const TokenEdits &edits,
                                                       const clang::CUDAKernelCallExpr &call);

/// What stands between the braces of a template that Clang did not parse, as nothing instantiates
/// it, where that has launches.
[[nodiscard]] std::optional<std::pair<TokenEdits::Index, TokenEdits::Index>>
unparsedBodyWithLaunches(const TokenEdits &edits, const clang::FunctionDecl &function);

} // namespace relayout::instrument
