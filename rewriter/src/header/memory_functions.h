// SPDX-License-Identifier: Apache-2.0
// The last part of the generated header: what takes the place of cudaMalloc, cudaMemcpy and kin.
#pragma once

#include "relayout/rewriter/header.h"

#include <string>

namespace relayout::rewriter {

/// \param isTiled  ranges of elements are not contiguous: kernels fill and copy them
[[nodiscard]] std::string memoryFunctions(const RecordShape &shape, const GeneratedNames &names,
                                          bool isTiled, const HeaderParts &parts);

} // namespace relayout::rewriter
