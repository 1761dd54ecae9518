// SPDX-License-Identifier: Apache-2.0
// Which arrays kernels are given, for a program that has none whose layout could be chosen.
#pragma once

#include "model/program_reader.h"

#include <vector>

namespace relayout::instrument {

/// A note for each pointer that a kernel takes and each array in a device variable: why it is no
/// array whose layout is chosen, at its declaration. Of many, the first.
[[nodiscard]] std::vector<Note> untracedArrays(const ReadProgram &program);

} // namespace relayout::instrument
