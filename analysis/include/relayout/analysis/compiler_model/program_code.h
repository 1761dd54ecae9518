// SPDX-License-Identifier: Apache-2.0
// What the modelled compiler makes of the facts of a site table: straight-line code, unrolled
// loops, instructions, registers.
#pragma once

#include "relayout/trace/site_table.h"

#include <cstdint>
#include <vector>

namespace relayout::analysis {

struct LoopCode {
  /// Machine instructions of one thread and iteration, accesses to records and inner loops with
  /// such accesses left out.
  double instructions = 0;
  /// Iterations that are scheduled together: 1 where a branch stands in the loop; 0: not known.
  std::uint32_t unrolled = 0;
  bool isUnrolledWhole = false; ///< `unrolled` is all there are, so the code around it continues
};

struct KernelCode {
  double instructions = 0;     ///< of one thread, outside the loops that have accesses
  std::uint32_t registers = 0; ///< of one thread; 0: not known
};

struct ProgramCode {
  /// By site: the straight-line code that it stands in. Accesses of another region are not
  /// scheduled together with it. 0: in the region of whoever calls the function, or not known.
  std::vector<std::uint32_t> regions;
  std::vector<LoopCode> loops;     ///< by loop
  std::vector<KernelCode> kernels; ///< by kernel
};

/// As nvcc 13 compiles it for sm_90 with -O3.
[[nodiscard]] ProgramCode codeOf(const trace::SiteTable &sites);

} // namespace relayout::analysis
