// SPDX-License-Identifier: Apache-2.0
// Policy replay: how many blocks of a launch share an SM.
#pragma once

#include "relayout/analysis/compiler_model/program_code.h"
#include "relayout/analysis/gpu/machine.h"
#include "relayout/trace/trace.h"

#include <cstdint>

namespace relayout::analysis {

struct Residency {
  std::uint32_t blocks = 1;
  std::uint64_t l1Bytes = 0; ///< of the cache, shared memory taken off
};

/// Of a thread, as the source lets expect; 0: not known.
[[nodiscard]] std::uint32_t registersOf(const trace::Trace &trace, const ProgramCode &code,
                                        trace::Index kernel);

/// As far as threads, shared memory and registers tell.
/// \param registers  of a thread; 0: not known
[[nodiscard]] Residency residency(const trace::Launch &launch, std::uint32_t registers,
                                  const Machine &machine);

} // namespace relayout::analysis
