// SPDX-License-Identifier: Apache-2.0
// Policy replay: what a compiler made of the program with some of the layouts.
#pragma once

#include "relayout/analysis/compiler_model/compiled_kernels.h"
#include "relayout/analysis/replay/search/candidate.h"

#include <optional>
#include <string>
#include <vector>

namespace relayout::analysis {

struct CompiledVersion {
  std::string name;                           ///< "choice"
  std::vector<std::optional<Layout>> layouts; ///< by group; none: the record as declared
  CompiledKernels kernels;
};

/// The finalists of a decision, compiled.
struct CompiledFinalists {
  std::vector<CompiledVersion> versions; ///< the program as declared first
  std::vector<GroupReplay> earlier;      ///< that decision, by group
};

} // namespace relayout::analysis
