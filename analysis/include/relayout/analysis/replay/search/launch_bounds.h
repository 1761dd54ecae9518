// SPDX-License-Identifier: Apache-2.0
// Policy replay: kernels that nvcc keeps short of registers, so that the most warps fit on an
// SM, and that are faster with more.
#pragma once

#include "relayout/analysis/compiler_model/compiled_kernels.h"
#include "relayout/analysis/gpu/machine.h"
#include "relayout/trace/trace.h"

#include <set>
#include <string>
#include <vector>

namespace relayout::analysis {

/// A kernel without and with `__launch_bounds__(1024, 1)`, which every launch keeps to and which
/// leaves it as many registers as a block of the largest size can have.
struct BoundedKernel {
  std::string name;                ///< as in the trace
  std::uint32_t registers = 0;     ///< of a thread, as written
  std::uint32_t moreRegisters = 0; ///< with bounds
  double loneTime = 1;             ///< of a warp alone, with bounds over without
  double warps = 1;                ///< that an SM has room for, with bounds over without
};

/// Those that may gain more from their registers than they lose to having fewer warps.
/// \param asWritten, bounded  of one program, without and with bounds for all of its kernels
/// \param candidates          by name; others are left alone
/// \param isMeasured          whether what is found is timed before it is kept; else only what
///                            gains by a wide margin is found
[[nodiscard]] std::vector<BoundedKernel> kernelsToBound(const trace::Trace &trace,
                                                        const CompiledKernels &asWritten,
                                                        const CompiledKernels &bounded,
                                                        const std::set<std::string> &candidates,
                                                        const Machine &machine, bool isMeasured);

} // namespace relayout::analysis
