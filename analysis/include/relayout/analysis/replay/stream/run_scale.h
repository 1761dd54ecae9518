// SPDX-License-Identifier: Apache-2.0
// Policy replay: the run that is decided for, where the traced one was small.
#pragma once

#include "relayout/analysis/gpu/machine.h"
#include "relayout/analysis/replay/stream/kernel_scale.h"
#include "relayout/base/result.h"
#include "relayout/trace/trace.h"

#include <optional>

namespace relayout::analysis {

/// What the user says of the real run; see RunScale.
struct AskedScale {
  std::optional<double> elements = {};
  std::optional<double> launches = {};
};

/// What is not said: of a GPU's trace, the traced run; of a CPU's, where people trace small sizes,
/// arrays of 64 times L2 and a hundred launches of the busiest kernel. Of a program without
/// arguments that is doubted.
[[nodiscard]] RunScale runScale(const trace::Trace &trace, const Machine &machine,
                                const AskedScale &asked);

/// The run that is decided for, against another traced one of the same program.
/// \param scale     of the first
/// \param elements  how many times as many the other has
[[nodiscard]] RunScale otherRunScale(const trace::Trace &first, const RunScale &scale,
                                     const trace::Trace &other, double elements);

/// Whether both were made of one program, so that sites, groups and kernels are the same.
/// \error RL-T11
[[nodiscard]] Result<void> requireSameProgram(const trace::Trace &first, const trace::Trace &other);

} // namespace relayout::analysis
