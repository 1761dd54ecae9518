// SPDX-License-Identifier: Apache-2.0
// Compiler model: how many machine instructions operations become.
#pragma once

#include "relayout/analysis/compiler_model/program_code.h"
#include "relayout/trace/operations.h"

namespace relayout::analysis {

/// Of one thread. Of a choice the longest way counts.
[[nodiscard]] Arithmetic arithmeticOf(const trace::Operations &operations);

} // namespace relayout::analysis
