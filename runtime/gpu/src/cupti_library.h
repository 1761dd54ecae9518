// SPDX-License-Identifier: Apache-2.0
// GPU tracing and counters: where CUPTI's library is on this machine.
#pragma once

#include <string>

namespace relayout::gpu {

/// "libcupti.so.13": the major version is that of the headers we were built with.
[[nodiscard]] std::string cuptiLibraryName();

/// Opens it where the linker looks, then below CUDA_HOME, CUDA_PATH and /usr/local/cuda.
/// \returns null where there is none
[[nodiscard]] void *openCuptiLibrary();

} // namespace relayout::gpu
