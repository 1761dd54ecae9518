// SPDX-License-Identifier: Apache-2.0
// Lowering: device code converts floating-point numbers to integers as a GPU does.
#pragma once

#include "model/program_reader.h"

#include <vector>

namespace relayout::instrument {

/// Wraps what device code converts, where C++ leaves open what comes of a value that the integer
/// cannot represent: a GPU saturates, and makes 0 of what is no number. Templates stay as they are,
/// as their text does not say which conversion it is.
/// \param written  the declarations that stand in the user's files
void convertAsOnGpu(UnitReading &unit, const std::vector<clang::Decl *> &written);

} // namespace relayout::instrument
