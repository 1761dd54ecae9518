// SPDX-License-Identifier: Apache-2.0
// Policy replay: the arithmetic around a kernel's accesses, which keeps the SMs busy in any layout.
#pragma once

#include "relayout/analysis/compiler_model/program_code.h"
#include "relayout/trace/trace.h"

namespace relayout::analysis {

/// Warp instructions of a kernel in all launches of the trace, accesses to records left out: what
/// the source of its loops holds (trace::Loop::operations), as often as they iterated.
/// \returns  nothing where the site table has no such estimate
[[nodiscard]] Arithmetic arithmeticOf(const trace::Trace &trace, const ProgramCode &code,
                                      trace::Index kernel);

/// Warps of all traced launches of a kernel.
[[nodiscard]] double tracedWarps(const trace::Trace &trace, trace::Index kernel);

/// Iterations of a loop in all traced launches, a warp counting while a lane is inside.
/// \param loop  into SiteTable::loops
[[nodiscard]] double loopIterations(const trace::Trace &trace, trace::Index kernel,
                                    trace::Index loop);

} // namespace relayout::analysis
