// SPDX-License-Identifier: Apache-2.0
// Exchanges which elements the threads of a block work on, where arrays keep their order: what
// threadIdx.x numbered, threadIdx.y does then, and the other way about.
#pragma once

#include "relayout/rewriter/rewrite.h"

#include <functional>
#include <string>
#include <vector>

namespace relayout::rewriter {

struct ExchangedRoles {
  /// The user's files after the edits; of each kernel that cannot be edited, a warning RL-R16.
  Rewrite rewrite;
  std::vector<std::string> kernels; ///< that were edited, as traces name them
};

/// Exchanges the roles of the first two thread indices in kernels that use both, and the extents of
/// the blocks at their launches. Each thread of a launch does what another one did, and the blocks
/// are as many; warps are made up of other threads. Kernels whose threads wait for, or see, each
/// other keep their roles.
/// \param isWanted  by name, as traces have it
/// \error RL-C01, RL-C02, RL-C05 as ParsedProgram::units()
[[nodiscard]] Result<ExchangedRoles>
exchangeThreadRoles(const instrument::ParsedProgram &program,
                    const std::function<bool(const std::string &kernel)> &isWanted);

} // namespace relayout::rewriter
