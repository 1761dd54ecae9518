// SPDX-License-Identifier: Apache-2.0
// Elements that Thrust's algorithms hand to functions of the program's.
#pragma once

#include "model/flow_graph.h"

namespace relayout::instrument {

/// `thrust::for_each(thrust::device, p, p + n, Move())`, which changes elements through `R &`.
void joinChanged(const clang::CallExpr &call, FlowGraph &graph);

} // namespace relayout::instrument
