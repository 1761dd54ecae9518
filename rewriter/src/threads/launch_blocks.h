// SPDX-License-Identifier: Apache-2.0
// The blocks of launches, with their first two extents exchanged.
#pragma once

#include "edits/token_edits.h"

#include <clang/AST/ExprCXX.h>

#include <optional>
#include <vector>

namespace relayout::rewriter {

/// \returns  nothing where the block is written in a way that is not known
[[nodiscard]] std::optional<std::vector<Edit>>
exchangedBlock(const clang::CUDAKernelCallExpr &launch, const SourceReader &reader);

} // namespace relayout::rewriter
