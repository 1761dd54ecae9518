// SPDX-License-Identifier: Apache-2.0
// Applies a plan: sources and plan in, rewritten sources or a refusal out.
#pragma once

#include "relayout/analysis/plan/plan.h"
#include "relayout/base/diagnostic.h"
#include "relayout/base/result.h"
#include "relayout/instrument/parsed_program.h"
#include "relayout/instrument/source_set.h"

#include <set>
#include <string>
#include <vector>

namespace relayout::rewriter {

struct Rewrite {
  /// The user's files after the edits, and one generated header per rewritten record.
  /// Empty when anything was refused.
  instrument::SourceSet sources;
  /// Refusals (severity Error, codes RL-R…) and remarks.
  std::vector<Diagnostic> findings;
  /// The plan as it was applied: without the arrays in shared memory of which something was
  /// refused, and, of rewritePartially(), without all others.
  analysis::Plan applied;
  /// Functions, `print()`, that have copies in the program as it was read, and no views.
  std::set<std::string> idleCopies;
  /// Functions, `update()`, that are given elements and other objects by reference, and methods,
  /// `Body::advance()`, that change elements: they stand in the way unless they have copies. And
  /// macros, `AT`, whose bodies work on elements.
  std::set<std::string> wantedCopies;

  [[nodiscard]] bool refused() const;
};

/// Rewrites the device arrays of every decision whose `keep` is false. All or nothing: one
/// refusal, and no file is edited.
/// \error RL-C01, RL-C02 as in buildProgramModel; RL-P03 the plan was made for another program
[[nodiscard]] Result<Rewrite> rewrite(const instrument::ParsedProgram &program,
                                      const analysis::Plan &plan);

/// The same for every decision that can be applied; the refusals of the others become warnings, and
/// their arrays are not rewritten. Refused as a whole where none can be.
/// \error as rewrite()
[[nodiscard]] Result<Rewrite> rewritePartially(const instrument::ParsedProgram &program,
                                               const analysis::Plan &plan);

} // namespace relayout::rewriter
