// SPDX-License-Identifier: Apache-2.0
// Constants of the model that were fitted: value, unit, what they were fitted to, residual.
#pragma once

#include <span>

namespace relayout::analysis {

namespace fit {
#define FIT(name, value, unit, fittedTo, residual) inline constexpr auto name = value;
#include "relayout/analysis/gpu/fits.def"
#undef FIT
} // namespace fit

struct Fit {
  const char *name = "";
  double value = 0;
  const char *unit = "";
  const char *fittedTo = "";
  const char *residual = "";
};

/// All of fits.def, in its order.
[[nodiscard]] std::span<const Fit> fits();

} // namespace relayout::analysis
