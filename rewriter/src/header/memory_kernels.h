// SPDX-License-Identifier: Apache-2.0
// Kernels of the generated header, which move elements between records and views.
#pragma once

#include "header/memory_text.h"

#include <string>

namespace relayout::rewriter {

/// Those that the needed functions launch; empty where none does.
[[nodiscard]] std::string memoryKernels(const MemoryText &header);

} // namespace relayout::rewriter
