// SPDX-License-Identifier: Apache-2.0
// GPU tracing and counters: where CUPTI's library is on this machine.
#pragma once

#include <cupti_result.h>

#include <string>

namespace relayout::gpu {

/// Opens it where the linker looks, then below CUDA_HOME, CUDA_PATH and /usr/local/cuda.
/// Its major version is that of the headers we were built with.
/// \returns null, and in `why` the reason, where there is none
[[nodiscard]] void *openCuptiLibrary(std::string &why);

/// \param name  what CUPTI calls the error; may be null
/// \returns     that, and what helps where something does
[[nodiscard]] std::string describeCuptiError(CUptiResult error, const char *name);

} // namespace relayout::gpu
