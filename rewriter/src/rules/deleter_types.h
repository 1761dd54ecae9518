// SPDX-License-Identifier: Apache-2.0
// Deleters of objects that own a rewritten array say that the pointer they are for is a view.
#pragma once

#include "pass/program.h"

namespace relayout::rewriter {

/// Adds `using pointer = ParticleView;` to the deleters of `std::unique_ptr<Particle[], Free>`, or
/// edits the one that is there. The deleter's function is a declaration like others.
void editDeleters(Program &program);

} // namespace relayout::rewriter
