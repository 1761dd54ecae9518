// SPDX-License-Identifier: Apache-2.0
// Which units have code of kernels.
#pragma once

#include "relayout/instrument/clang/front_end.h"

namespace relayout::instrument {

/// The unit defines a kernel, or a template of one, in a file of the program's.
[[nodiscard]] bool definesKernels(ParsedUnit &unit);

} // namespace relayout::instrument
