// SPDX-License-Identifier: Apache-2.0
// A program's units as Clang reads them: stages that look at the same text share one parse.
#pragma once

#include "relayout/base/result.h"
#include "relayout/instrument/command.h"

#include <memory>
#include <vector>

namespace relayout::instrument {

class ArrayFlow;
class ParsedUnit;
enum class Pass;

/// Each pass of a unit is parsed once, when a stage first asks for it, and kept as long as a copy
/// of this object is.
class ParsedProgram {
public:
  using Units = std::vector<std::shared_ptr<ParsedUnit>>;

  ParsedProgram(Program program);     // NOLINT: stages that share nothing are given a program
  ParsedProgram(CompileCommand unit); // NOLINT: or one of one unit
  ~ParsedProgram();
  ParsedProgram(const ParsedProgram &);
  ParsedProgram &operator=(const ParsedProgram &);

  [[nodiscard]] const Program &program() const;

  /// In the program's order. In the device pass null for units that look the same in both: those
  /// whose text does not ask for __CUDA_ARCH__.
  /// \error RL-C01, RL-C02, RL-C05 as parse(), of the first unit that has one
  [[nodiscard]] Result<const Units *> units(Pass pass) const;

  /// The flow of arrays through units(pass), which has succeeded; of units that are null there,
  /// as the host pass shows them.
  [[nodiscard]] const std::vector<ArrayFlow> &flows(Pass pass) const;

private:
  struct State;
  std::shared_ptr<State> state_;
};

} // namespace relayout::instrument
