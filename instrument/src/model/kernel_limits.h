// SPDX-License-Identifier: Apache-2.0
// What nvcc rejects and Clang's front end takes: kernels with more memory of their own than CUDA
// gives them.
#pragma once

#include "relayout/base/result.h"
#include "relayout/instrument/clang/front_end.h"

#include <optional>

namespace relayout::instrument {

/// The first kernel whose parameters, or `__shared__` variables of a size that its text says, take
/// more bytes than CUDA allows.
/// Source: CUDA C++ Programming Guide, "Execution Configuration" and "Technical Specifications".
[[nodiscard]] std::optional<Error> beyondKernelLimits(ParsedUnit &unit);

} // namespace relayout::instrument
