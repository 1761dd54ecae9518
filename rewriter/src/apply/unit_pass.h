// SPDX-License-Identifier: Apache-2.0
// One unit in one pass: what the rules work on.
#pragma once

#include "pass/parsed_passes.h"
#include "pass/program.h"

#include <memory>
#include <vector>

namespace relayout::rewriter {

struct UnitPass {
  UnitPass(const ParsedPasses::View &view, EditSet &edits, SharedCopies &copies,
           LinkedFunctions &linked, SeparateTemplates &separate)
      : findings(*view.unit), program{.unit = *view.unit,
                                      .flow = *view.flow,
                                      .index = *view.index,
                                      .definitions = *view.definitions,
                                      .isAlone = view.isAlone,
                                      .reader = SourceReader(*view.unit),
                                      .findings = findings,
                                      .edits = edits,
                                      .sharedCopies = copies,
                                      .linked = linked,
                                      .separate = separate} {}

  Findings findings;
  Program program;
  std::vector<std::unique_ptr<Target>> targets;
};

using Units = std::vector<std::unique_ptr<UnitPass>>;

} // namespace relayout::rewriter
