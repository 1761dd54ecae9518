// SPDX-License-Identifier: Apache-2.0
// The generated headers of a program: one for all units, with what any of them needs.
#pragma once

#include "apply/include_placer.h"
#include "apply/unit_pass.h"

#include <vector>

namespace relayout::rewriter {

/// The copies that host C++ calls launch kernels: CUDA units that include the header have them.
/// Refuses where none does.
void checkHostCopies(UnitPass &unit, const Units &units);

/// \param folders  where each header lies
/// \param sources  the program's files, by which relative paths start
[[nodiscard]] std::vector<instrument::SourceText>
headersOf(const Units &units, const HeaderFolders &folders, const instrument::SourceSet &sources);

} // namespace relayout::rewriter
