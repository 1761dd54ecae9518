// SPDX-License-Identifier: Apache-2.0
// GPU tracing: what stands between an instrumented program and the CUDA calls that the trace must
// know of. `relayout cc` links it with `--wrap`, which turns the program's f into __wrap_f and
// ours of __real_f into f. It needs neither CUPTI nor CUDA's headers. Each file is one member of
// the archive, so that no call is linked that the program does not make itself.
#pragma once

#include "relayout/device/module.h"

#include <cstddef>

namespace relayout::hooks {

using Status = int; ///< cudaError_t or CUresult; 0 is success
using Stream = void *;

/// dim3
struct Extent {
  unsigned x, y, z;
};

} // namespace relayout::hooks
