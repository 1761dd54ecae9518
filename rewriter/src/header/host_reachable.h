// SPDX-License-Identifier: Apache-2.0
// Functions of the generated header for arrays that the host reaches, too: in managed memory, and
// in page-locked memory that kernels use.
#pragma once

#include "header/memory_text.h"

#include <string>

namespace relayout::rewriter {

/// Whether views need eachRange().
[[nodiscard]] bool givesHints(const ViewOperations &needs);

/// Releases, device pointers and hints, which call CUDA.
[[nodiscard]] std::string reachableFunctions(const MemoryText &header);

/// What stands for memcpy in device code.
[[nodiscard]] std::string deviceFunctions(const MemoryText &header);

/// What stands for the host's memcpy and memset: needs no CUDA.
[[nodiscard]] std::string hostFunctions(const MemoryText &header);

} // namespace relayout::rewriter
