// SPDX-License-Identifier: Apache-2.0
// The two halves of lowering: CUDA's own constructs, and the probes of a traced program.
#pragma once

#include "model/program_reader.h"

#include <set>
#include <string>
#include <vector>

namespace relayout::instrument {

/// A file name or the like as a C++ string literal.
[[nodiscard]] std::string stringLiteral(llvm::StringRef text);

/// Without -rdc=true each unit has device code of its own, and two may define device functions and
/// variables of one name. On the CPU they would be one.
struct RepeatedSymbols {
  std::set<std::string> inHeaders; ///< defined by one text that several units include
  std::set<std::string> inSources; ///< defined by several texts
};
[[nodiscard]] RepeatedSymbols repeatedSymbols(const ReadProgram &program);

/// Rewrites launches, shared memory and what else plain C++ lacks, and notes copies of records.
/// \error RL-C05 a construct that the CPU executor cannot run
[[nodiscard]] Result<void> lowerCudaConstructs(const ReadProgram &program,
                                               const RepeatedSymbols &repeated, UnitReading &unit);

/// Has a traced program say which group each allocation is for, and which extents it has.
void noteAllocations(const ProgramModel &model, UnitReading &unit);

/// The flow of arrays in each unit where calls of functions of both sides join nothing: host code
/// calls them with page-locked memory that no kernel sees, and calls copies of them once arrays are
/// rewritten.
[[nodiscard]] std::vector<ArrayFlow> flowsOfEachSide(const std::vector<UnitReading *> &units);

/// Has a program that is compared say which arrays its host code and kernels share.
/// \param sides  the unit's of the above
void noteSharedArrays(UnitReading &unit, const ArrayFlow &sides);

/// Puts the model's probes into the host pass's edits, those of loops and calls included: by these
/// the CPU executor groups lanes.
/// \param findings  gains what cannot be traced
void insertProbes(UnitReading &unit, std::vector<Diagnostic> &findings);

} // namespace relayout::instrument
