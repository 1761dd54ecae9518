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

/// As far as threads, shared memory and registers tell.
[[nodiscard]] Residency residency(const trace::Trace &trace, const ProgramCode &code,
                                  const trace::Launch &launch, const Machine &machine);

} // namespace relayout::analysis
