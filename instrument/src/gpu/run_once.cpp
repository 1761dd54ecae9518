// SPDX-License-Identifier: Apache-2.0
// GPU tracing: which functions a thread runs outside all loops.
#include "gpu/run_once.h"

#include <algorithm>
#include <map>
#include <vector>

namespace relayout::instrument {

std::set<const SourceFunction *> functionsRunOnce(const Facts &facts) {
  std::set<const SourceFunction *> once, inLoops;
  std::map<const SourceFunction *, std::vector<const SourceFunction *>> callers;
  for (const auto &[place, function] : facts.functions) {
    if (function.isKernel)
      once.insert(&function);
    for (const auto &[callee, loops] : function.callees) {
      callers[callee].push_back(&function);
      if (std::ranges::any_of(loops, [](const Point *loop) { return loop != nullptr; }))
        inLoops.insert(callee);
    }
  }
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (const auto &[function, from] : callers)
      if (!inLoops.contains(function) &&
          std::ranges::all_of(from, [&](const auto *caller) { return once.contains(caller); }))
        isChanged |= once.insert(function).second;
  }
  return once;
}

} // namespace relayout::instrument
