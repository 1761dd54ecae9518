// SPDX-License-Identifier: Apache-2.0
// Changes the text of templates of which every instance is written out, where it names views by
// itself: `template <class T> void pair(Body *x, T *y)`, of which pair<Cell> is a function of its
// own. What such a text says of Body compiles without an instance.
#pragma once

#include "pass/program.h"

namespace relayout::rewriter {

/// Gives the template of each written-out function those of the instance's edits that do not depend
/// on its arguments.
void editPatterns(Program &program);

} // namespace relayout::rewriter
