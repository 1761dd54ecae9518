// SPDX-License-Identifier: Apache-2.0
// Pointers that containers of the standard library hold.
#pragma once

#include "model/flow_graph.h"

namespace relayout::instrument {

/// `parts.push_back(p)`, `parts.assign(n, p)`, `parts = others`: the container holds what it is
/// given.
void joinHeld(const clang::CallExpr &call, FlowGraph &graph);

} // namespace relayout::instrument
