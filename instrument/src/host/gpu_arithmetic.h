// SPDX-License-Identifier: Apache-2.0
// Lowering: device code computes with integers as a GPU does, where C++ leaves open what comes of
// it.
#pragma once

#include "model/program_reader.h"

#include <vector>

namespace relayout::instrument {

/// Wraps floating-point numbers that device code converts to integers, of which a GPU saturates
/// what the integer cannot represent, and makes 0 of what is no number; and the counts of shifts
/// that are known at run time alone: a GPU shifts all bits out by as many or more. Templates stay
/// as they are, as their text does not say which conversion or shift it is.
/// \param written  the declarations that stand in the user's files
void computeAsOnGpu(UnitReading &unit, const std::vector<clang::Decl *> &written);

} // namespace relayout::instrument
