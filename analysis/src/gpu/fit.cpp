// SPDX-License-Identifier: Apache-2.0
#include "relayout/analysis/gpu/fit.h"

#include <array>

namespace relayout::analysis {

std::span<const Fit> fits() {
  static constexpr auto kFits = std::to_array<Fit>({
#define FIT(name, value, unit, fittedTo, residual)                                                 \
  {#name, static_cast<double>(value), unit, fittedTo, residual},
#include "relayout/analysis/gpu/fits.def"
#undef FIT
  });
  return kFits;
}

} // namespace relayout::analysis
