// SPDX-License-Identifier: Apache-2.0
// A lambda without marks runs where the function around it does. Clang takes it for a function of
// both sides, so that what host code does in lambdas would be looked at as what a kernel does.
#pragma once

#include "relayout/instrument/clang/front_end.h"

namespace relayout::instrument {

/// Takes the mark of the device, where Clang added it, from lambdas of the user's functions that
/// only the host runs.
void leaveLambdasToTheHost(ParsedUnit &unit);

} // namespace relayout::instrument
