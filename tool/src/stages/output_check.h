// SPDX-License-Identifier: Apache-2.0
// Whether what a rewrite writes compiles where the project is built.
#pragma once

#include "relayout/base/diagnostic.h"
#include "relayout/base/result.h"
#include "relayout/instrument/command.h"
#include "relayout/instrument/source_set.h"

#include <string>
#include <vector>

namespace relayout::tool {

struct OutputCheck {
  std::size_t byOwnCompilers = 0; ///< units that the compiler of their build took
  std::size_t byClang = 0;        ///< units whose build is not known: parsed in their language
  std::vector<Diagnostic> findings;

  /// False when a unit's own compiler is there and could not tell.
  [[nodiscard]] bool isConclusive() const { return findings.empty(); }

  /// "4 units compile: 3 with the project's compilers, 1 parsed by Clang".
  [[nodiscard]] std::string describe() const;
};

/// Compiles every unit of the rewritten program as its build does, its paths mapped to the output.
/// Where the compiler is not there, or does not take the original either, Clang parses the unit.
/// \param sources  the rewrite of `original`
/// \param log      the words of a compiler that refuses
/// \error RL-V04 a unit compiles before the rewrite and not after it
[[nodiscard]] Result<OutputCheck> checkOutput(const instrument::Program &original,
                                              const instrument::SourceSet &sources,
                                              const std::string &log);

/// The same of a program that is written already, unit by unit.
/// \param rewritten  inFolder() of `original`
[[nodiscard]] Result<OutputCheck> checkUnits(const instrument::Program &original,
                                             const instrument::Program &rewritten,
                                             const std::string &log);

/// A warning for each unit of the database that is not the program's and includes a changed file.
/// \param database  the file; empty: none
[[nodiscard]] std::vector<Diagnostic> unitsLeftOut(const std::string &database,
                                                   const instrument::Program &program,
                                                   const instrument::SourceSet &sources);

} // namespace relayout::tool
