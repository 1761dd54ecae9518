// SPDX-License-Identifier: Apache-2.0
// One text, two meanings: a file that is included under different macros, or a template, may spell
// a name once that is a rewritten array in one place and something else in another.
#pragma once

#include "pass/program.h"

namespace relayout::rewriter {

/// Refuses where a place that was edited for a rewritten array also declares or names another one.
/// After all edits of a pass.
void refuseOtherMeanings(Program &program);

/// Refuses records whose definition is read more than once, as two records.
void refuseRepeatedDefinitions(Program &program);

} // namespace relayout::rewriter
