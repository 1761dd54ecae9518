// SPDX-License-Identifier: Apache-2.0
// Variables that a switch jumps over.
#pragma once

#include "relayout/instrument/clang/token_edits.h"

namespace relayout::instrument {

/// Puts braces around the statements from `case A: int n = f();` up to the next label, where none
/// behind it names what they declare. nvcc takes such code in device functions, and host compilers
/// do not.
void closeScopesInSwitches(ParsedUnit &unit, TokenEdits &edits);

} // namespace relayout::instrument
