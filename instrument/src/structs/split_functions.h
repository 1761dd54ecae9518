// SPDX-License-Identifier: Apache-2.0
// `void print(const Body *bodies, int n)`, which is called with arrays that CUDA allocates and with
// the host's own memory: a copy of it, `printHost`, serves the latter, so that each pointer leads
// to memory of one kind.
#pragma once

#include "structs/split_structs.h"

namespace relayout::instrument {

/// \param only  the names, `print()`, of functions that may be split; null: all
/// \param byReferences  the names of those that may be split by what their references are given
[[nodiscard]] SplitProgram splitFunctions(const std::vector<ParsedUnit *> &units,
                                          const std::vector<ArrayFlow> &flows,
                                          const std::set<std::string> *only,
                                          const std::set<std::string> &byReferences);

/// The flow in which these functions' arguments do not join, as if each were split.
[[nodiscard]] std::vector<ArrayFlow>
flowsBesideFunctions(const std::vector<ParsedUnit *> &units, const std::vector<ArrayFlow> &flows,
                     const std::set<std::string> *only, const std::set<std::string> &byReferences);

/// Adds the functions of the program that these call, directly or not; all by their names,
/// `print()`.
void addCallees(const std::vector<ParsedUnit *> &units, std::set<std::string> &functions);

/// The functions whose copy was of use: some pointer that they are given leads to CUDA's memory
/// alone.
[[nodiscard]] std::set<std::string> usefulCopies(const std::vector<SharedHolder> &functions,
                                                 const std::vector<ArrayFlow> &flows);

} // namespace relayout::instrument
