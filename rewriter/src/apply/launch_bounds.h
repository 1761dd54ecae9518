// SPDX-License-Identifier: Apache-2.0
// `__global__ __launch_bounds__(1024, 1) void step(…)`: kernels that may use more registers.
#pragma once

#include "pass/program.h"

#include <set>
#include <string>

namespace relayout::rewriter {

/// Bounds those that have no bounds yet, where `__global__` is written in the program's own text.
/// Every launch keeps to the bounds: no block is larger. Kernels that may run code of other units
/// get none.
/// \param kernels  by name, as traces have them
void boundKernels(Program &program, const std::set<std::string> &kernels);

} // namespace relayout::rewriter
