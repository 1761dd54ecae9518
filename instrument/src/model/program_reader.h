// SPDX-License-Identifier: Apache-2.0
// The program model together with what it was made from, for the stages that go on to edit.
#pragma once

#include "model/unit_reader.h"
#include "relayout/instrument/program_model.h"

#include <memory>
#include <optional>

namespace relayout::instrument {

struct ReadProgram {
  Facts facts;
  ReadUnit host;
  std::optional<ReadUnit> device; ///< only where a user file asks for __CUDA_ARCH__
  ProgramModel model;
};

/// \error RL-C01, RL-C02, RL-C05 as parse()
[[nodiscard]] Result<std::unique_ptr<ReadProgram>> readProgram(const CompileCommand &command);

/// \error RL-C03 no kernel; RL-C04 no array of records reaches a kernel
[[nodiscard]] Result<void> checkTraceable(const ReadProgram &program);

} // namespace relayout::instrument
