// SPDX-License-Identifier: Apache-2.0
// Functions of one name that views would make alike.
#pragma once

#include "pass/program.h"

namespace relayout::rewriter {

/// Refuses functions of one name and scope that no call could tell apart any more: `swap(R *&, R
/// *&)` and `swap(R &, R &)` would both take views.
void refuseAlikeOverloads(Program &program);

} // namespace relayout::rewriter
