// SPDX-License-Identifier: Apache-2.0
// What the headers of all records of a program share.
#pragma once

#include <cstdint>
#include <string>

namespace relayout::rewriter {

/// Bytes of a record of which a block has one a thread in shared memory, when records are
/// converted.
inline constexpr std::uint32_t kLargestInRecordTile = 1024;

/// What the shared functions and the views need.
[[nodiscard]] std::string sharedIncludes(bool mayLackCuda);

/// Host C++ that knew nothing of CUDA only passes views on.
inline constexpr const char *kMacrosDefined =
    "#if !__has_include(<cuda_runtime.h>) // host code without CUDA: it passes views on\n"
    "#pragma push_macro(\"__host__\")\n"
    "#pragma push_macro(\"__device__\")\n"
    "#define __host__\n"
    "#define __device__\n"
    "#endif\n\n";
inline constexpr const char *kMacrosRestored = "#if !__has_include(<cuda_runtime.h>)\n"
                                               "#pragma pop_macro(\"__host__\")\n"
                                               "#pragma pop_macro(\"__device__\")\n"
                                               "#endif\n";

/// The text with another name for that namespace.
[[nodiscard]] std::string inSharedSpace(std::string text, const std::string &space);

} // namespace relayout::rewriter
