// SPDX-License-Identifier: Apache-2.0
// Virtual functions, which change their types with all that they override and that overrides them.
#pragma once

#include "pass/program.h"

#include <optional>

namespace relayout::rewriter {

/// Why a virtual function with a pointer to records cannot take or return views: one that it
/// overrides, or that overrides it, would keep its type or get another.
/// \returns  a refusal whose text continues the function's name
[[nodiscard]] std::optional<std::string> obstacleToOverriding(const Program &program,
                                                              const clang::CXXMethodDecl &method);

} // namespace relayout::rewriter
