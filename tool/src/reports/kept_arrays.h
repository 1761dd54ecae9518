// SPDX-License-Identifier: Apache-2.0
// Why arrays keep their layout although another one was asked for by name.
#pragma once

#include "relayout/analysis/plan/plan.h"
#include "relayout/trace/site_table.h"

namespace relayout::tool {

/// A note on stderr for each group of arrays of the program's records that the plan leaves alone.
void printKeptArrays(const trace::SiteTable &sites, const analysis::Plan &plan);

} // namespace relayout::tool
