// SPDX-License-Identifier: Apache-2.0
// The program model together with what it was made from, for the stages that go on to edit.
#pragma once

#include "model/linked_facts.h"
#include "relayout/instrument/parsed_program.h"
#include "relayout/instrument/program_model.h"

#include <memory>
#include <vector>

namespace relayout::instrument {

/// The units of a program, each with its own parse and its own edits; ids of points and groups of
/// arrays are the program's.
struct ReadProgram {
  std::vector<std::unique_ptr<UnitReading>> units;
  LinkedFacts linked;
  ProgramModel model;
};

/// Numbers the points and fills in the model (program_model.cpp).
void makeModel(ReadProgram &program);

/// \error RL-C01, RL-C02, RL-C05 as parse()
[[nodiscard]] Result<std::unique_ptr<ReadProgram>>
readProgram(const ParsedProgram &program, CodeDetail detail = CodeDetail::Described);

/// \error RL-C03 no kernel; RL-C04 no array whose layout could be chosen reaches a kernel
[[nodiscard]] Result<void> checkTraceable(const ReadProgram &program);

/// The kernel's row in the site table; kNone where no unit defines it.
/// \param pattern  as the unit sees it, perhaps only declared
[[nodiscard]] trace::Index kernelOf(const ReadProgram &program, const UnitReading &unit,
                                    const clang::FunctionDecl *pattern);

/// True when threads of a block may wait for each other in what this kernel reaches.
[[nodiscard]] bool synchronises(const ReadProgram &program, const UnitReading &unit,
                                const clang::FunctionDecl *pattern);

} // namespace relayout::instrument
