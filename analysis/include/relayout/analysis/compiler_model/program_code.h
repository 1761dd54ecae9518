// SPDX-License-Identifier: Apache-2.0
// What the modelled compiler makes of the facts of a site table: straight-line code, unrolled
// loops, instructions, registers.
#pragma once

#include "relayout/trace/site_table.h"

#include <cstdint>
#include <vector>

namespace relayout::analysis {

/// Machine instructions, of a thread or of a warp. Some also wait for a pipe that takes fewer of
/// them than a scheduler issues.
struct Arithmetic {
  double instructions = 0; ///< all
  double doubles = 0;      ///< of these, in double precision
  double specials = 0;     ///< of these, approximations of special functions

  Arithmetic &operator+=(const Arithmetic &other) {
    instructions += other.instructions;
    doubles += other.doubles;
    specials += other.specials;
    return *this;
  }
};

[[nodiscard]] constexpr Arithmetic operator*(double times, const Arithmetic &each) {
  return {times * each.instructions, times * each.doubles, times * each.specials};
}

struct LoopCode {
  /// Of one thread and iteration, accesses to records and inner loops with such accesses left out.
  Arithmetic arithmetic;
  /// Iterations that are scheduled together: 1 where a branch stands in the loop; 0: not known.
  std::uint32_t unrolled = 0;
  bool isUnrolledWhole = false; ///< `unrolled` is all there are, so the code around it continues
};

struct KernelCode {
  Arithmetic arithmetic;       ///< of one thread, outside the loops that have accesses
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
