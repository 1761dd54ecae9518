// SPDX-License-Identifier: Apache-2.0
// The last part of the generated header: what is called instead of cudaMalloc, cudaMemcpy and
// related calls.
#pragma once

#include "relayout/rewriter/header.h"

#include <string>

namespace relayout::rewriter {

/// \param isTiled  ranges of elements are not contiguous: kernels fill and copy them
/// \param needs    needsOf(parts, isTiled)
[[nodiscard]] std::string memoryFunctions(const RecordShape &shape, const GeneratedNames &names,
                                          bool isTiled, const HeaderParts &parts,
                                          const ViewOperations &needs);

} // namespace relayout::rewriter
