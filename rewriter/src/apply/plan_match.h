// SPDX-License-Identifier: Apache-2.0
// Whether a plan is the program's, which arrays its decisions are about, and whether those may be
// laid out anew.
#pragma once

#include "pass/program.h"
#include "relayout/analysis/plan/plan.h"
#include "relayout/instrument/parsed_program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace relayout::rewriter {

/// Whether a plan was made for this text: for the whole program, or for each unit, as a build does
/// that compiles them one by one.
/// \param sources  of all units
[[nodiscard]] bool isMadeFor(const analysis::Plan &plan,
                             const std::vector<instrument::ParsedUnit *> &units,
                             const instrument::SourceSet &sources);

/// Which of the decisions about arrays of the same names one is: two variables of one function may
/// have one name.
struct Namesake {
  std::size_t number = 0, count = 1;
};

[[nodiscard]] Namesake namesakeOf(const analysis::Plan &plan, const analysis::Decision &decision);

/// The groups of a unit that a decision is about. Plans are made from the host's view of the
/// program; behind #ifdef __CUDA_ARCH__ a group may have other members, and where none has just the
/// decision's, one in common makes it the same.
/// \param isOtherwiseSplit  functions have other copies than in the plan's program: one name in
///                          common is enough
/// \param namesake  decisions about the same names are in the order of their groups
[[nodiscard]] std::vector<std::uint32_t>
groupsOf(const instrument::ArrayFlow &flow, const analysis::Decision &decision,
         instrument::Pass pass, bool isOtherwiseSplit = false, const Namesake &namesake = {});

/// True for layouts that leave the record's layout unchanged: one cluster, in order, of the
/// record's own size and not aligned further.
[[nodiscard]] bool isUnchanged(const analysis::Decision &decision, const RecordShape &shape);

/// Whether `__device__` or `__constant__` arrays, and pointers to them, lead to no memory that CUDA
/// allocates.
[[nodiscard]] bool isOfVariables(const instrument::ArrayGroup &group);

/// What a pointer is a member or a parameter of, as the program names it: a struct by its tag, or
/// by its typedef where it has none, or a function, `name()`.
[[nodiscard]] std::string holderNameOf(const clang::ValueDecl &pointer);

/// Memory that is not plain device memory cannot be laid out anew by converting at copies.
/// \param holders  structs and functions that might have told host and device apart, for the note
void checkOrigins(const instrument::ArrayGroup &group, const Target &target,
                  const std::vector<instrument::SharedHolder> &holders, Findings &findings);

/// One word for a layout, to tell the headers of one record apart.
[[nodiscard]] std::string kindOf(const analysis::Layout &layout);

} // namespace relayout::rewriter
