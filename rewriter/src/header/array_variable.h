// SPDX-License-Identifier: Apache-2.0
// The class of the generated header that stands for `Particle name[kElements]` in a variable.
#pragma once

#include "header/cluster_code.h"
#include "header/memory_text.h"

#include <string>
#include <vector>

namespace relayout::rewriter {

/// The planes themselves. Elements are accessed as those of a view, which the class becomes
/// elsewhere.
[[nodiscard]] std::string arrayInVariable(const MemoryText &header,
                                          const std::vector<PlaneCode> &planes);

} // namespace relayout::rewriter
