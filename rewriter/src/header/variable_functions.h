// SPDX-License-Identifier: Apache-2.0
// What the generated header has for arrays in variables.
#pragma once

#include "header/memory_text.h"

#include <string>

namespace relayout::rewriter {

/// cudaGetSymbolAddress and cudaGetSymbolSize.
[[nodiscard]] std::string variableFunctions(const MemoryText &header);

/// cudaMemcpyToSymbol and cudaMemcpyFromSymbol.
[[nodiscard]] std::string variableCopies(const MemoryText &header, bool async);

} // namespace relayout::rewriter
