// SPDX-License-Identifier: Apache-2.0
// Structs of which a plan changes arrays: the others keep one type.
#pragma once

#include "apply/unit_pass.h"
#include "relayout/analysis/plan/plan.h"
#include "relayout/instrument/parsed_program.h"
#include "relayout/rewriter/rewrite.h"

#include <set>
#include <string>
#include <vector>

namespace relayout::rewriter {

/// The program, with a second type only for structs whose pointers the plan makes views.
/// \error as ParsedProgram::units()
[[nodiscard]] Result<instrument::ParsedProgram>
withNeededHolders(const instrument::ParsedProgram &program, const analysis::Plan &plan);

/// Finds functions with copies of which none has a view.
[[nodiscard]] std::set<std::string>
idleCopies(const std::vector<const Units *> &passes,
           const std::vector<instrument::SharedHolder> &functions);

/// The rewrite without copies of functions that turned out to serve no view, as where a record is
/// aligned at its declaration.
/// \param split  the program that was rewritten
[[nodiscard]] Result<Rewrite> withoutIdleCopies(Result<Rewrite> rewrite,
                                                const instrument::ParsedProgram &split,
                                                const analysis::Plan &plan);

/// A rewrite, and the form of the program of which it is.
struct RewriteOf {
  Result<Rewrite> rewrite;
  instrument::ParsedProgram program;
  bool isOtherwiseSplit = false; ///< than the plan's program
};

/// Rewrites the program; where references of functions that are given elements and other objects
/// stand in the way, with copies of these functions.
/// \returns  of a refusal that of the program without more copies, but the program with them
[[nodiscard]] RewriteOf withWantedCopies(const instrument::ParsedProgram &split,
                                         const analysis::Plan &plan);

} // namespace relayout::rewriter
