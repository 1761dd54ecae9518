// SPDX-License-Identifier: Apache-2.0
// Tests of policy replay: the machine file that ships for the H100.
#pragma once

#include "relayout/analysis/gpu/machine.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace relayout::analysis {

inline const Machine &h100() {
  static const Machine kMachine = [] {
    std::ifstream file(RELAYOUT_MACHINES "/h100.json");
    std::stringstream text;
    text << file.rdbuf();
    const Result<Machine> machine = machineFromJson(text.str());
    EXPECT_TRUE(machine.has_value());
    return machine ? *machine : Machine{};
  }();
  return kMachine;
}

} // namespace relayout::analysis
