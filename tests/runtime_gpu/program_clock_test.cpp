// SPDX-License-Identifier: Apache-2.0
// The time of day under librelayout_copies.so.
#include <gtest/gtest.h>

#include <cstdio>
#include <ctime>
#include <string>

namespace relayout {
namespace {

struct Told {
  long long program = 0, library = 0, cuda = 0;
};

Told toldWith(const char *environment) {
  const std::string command =
      std::string(environment) + " LD_PRELOAD='" COPIES_LIBRARY "' '" ASKING_PROGRAM "'";
  Told told;
  FILE *const output = popen(command.c_str(), "r");
  EXPECT_EQ(std::fscanf(output, "%lld %lld %lld", &told.program, &told.library, &told.cuda), 3);
  EXPECT_EQ(pclose(output), 0);
  return told;
}

TEST(ProgramClock, IsRealWithoutAStart) {
  const Told told = toldWith("");
  EXPECT_NEAR(static_cast<double>(told.program), static_cast<double>(std::time(nullptr)), 60);
  EXPECT_NEAR(static_cast<double>(told.cuda), static_cast<double>(told.program), 60);
}

/// CUPTI sets the GPU's clock by it: a kernel that ran for 1 ms would be years long.
TEST(ProgramClock, CudaIsToldTheRealTimeAndAllOthersTheStart) {
  const Told told = toldWith("RELAYOUT_START_TIME=1000");
  EXPECT_EQ(told.program, 1000);
  EXPECT_EQ(told.library, 1000);
  EXPECT_NEAR(static_cast<double>(told.cuda), static_cast<double>(std::time(nullptr)), 60);
}

} // namespace
} // namespace relayout
