// SPDX-License-Identifier: Apache-2.0
// Has a program say which bytes of the records that it copies are padding, for a run on a GPU.
#pragma once

#include "relayout/base/result.h"
#include "relayout/instrument/command.h"
#include "relayout/instrument/source_set.h"

#include <string>
#include <vector>

namespace relayout::instrument {

struct NotedProgram {
  /// Each unit that copies records with padding, with its own copy of the headers that it includes.
  SourceSet sources;
  std::vector<std::string> files; ///< relativePath by unit; empty: the unit stays the original
};

/// The same program, which calls relayoutNoteRecord (librelayout_copies.so) before each copy of
/// records with padding. Kernels are unchanged. Where nothing of that kind is copied there are no
/// sources.
/// \error those of buildProgramModel; RL-I12
[[nodiscard]] Result<NotedProgram> notePadding(const Program &program);

} // namespace relayout::instrument
