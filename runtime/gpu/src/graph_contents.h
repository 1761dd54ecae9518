// SPDX-License-Identifier: Apache-2.0
// Hardware truth: which kernels a CUDA graph runs.
#pragma once

#include "cupti_calls.h"
#include "relayout/gpu/counter_report.h"

namespace relayout::gpu {

/// Of a graph that has been or will be instantiated, with the graphs inside it.
[[nodiscard]] GraphContents contentsOf(const CuptiCalls &calls, CUgraph graph);

} // namespace relayout::gpu
