// SPDX-License-Identifier: Apache-2.0
// What is called instead of cudaMalloc and cudaFree.
#pragma once

#include "header/memory_text.h"

#include <string>

namespace relayout::rewriter {

/// Of each kind of memory that the program allocates, or of the device's.
[[nodiscard]] std::string allocationFunctions(const MemoryText &header, bool async);

/// Staging memory is kept only as long as arrays are freed later.
[[nodiscard]] std::string releaseFunction(const MemoryText &header, bool async);

} // namespace relayout::rewriter
