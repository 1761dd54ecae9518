// SPDX-License-Identifier: Apache-2.0
// The last part of the generated header: what is called instead of cudaMalloc, cudaMemcpy and
// related calls.
#pragma once

#include "header/view_storage.h"
#include "relayout/rewriter/header.h"

#include <string>

namespace relayout::rewriter {

/// \param needs  needsOf(parts, storage.scattersRanges())
[[nodiscard]] std::string memoryFunctions(const RecordShape &shape, const GeneratedNames &names,
                                          const ViewStorage &storage, const HeaderParts &parts,
                                          const ViewOperations &needs);

} // namespace relayout::rewriter
