// SPDX-License-Identifier: Apache-2.0
// What a child process of `relayout doctor` writes, its parent reads.
#include "relayout/gpu/doctor_kernel.h"

#include <gtest/gtest.h>

namespace relayout::gpu {
namespace {

TEST(GpuTrial, IsReadAsItIsWritten) {
  GpuTrial trial{"580.159.04", "13.0", {{"NVIDIA \"H100\"", 9, 0, 85'899'345'920u}}, "cuInit: no"};
  const auto read = gpuTrialFromJson(toJson(trial));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->driver, trial.driver);
  EXPECT_EQ(read->cuda, trial.cuda);
  ASSERT_EQ(read->devices.size(), 1u);
  EXPECT_EQ(read->devices[0].name, trial.devices[0].name);
  EXPECT_EQ(read->devices[0].major, 9);
  EXPECT_EQ(read->devices[0].bytes, trial.devices[0].bytes);
  EXPECT_EQ(read->failure, trial.failure);
}

TEST(GpuTrial, HalfAFileIsNone) { EXPECT_FALSE(gpuTrialFromJson("{\"driver\": \"58")); }

TEST(GpuTrial, FailsWithAReasonOrRunsTheKernel) {
  const GpuTrial trial = tryGpu();
  EXPECT_EQ(trial.failure.empty(), !trial.devices.empty());
}

} // namespace
} // namespace relayout::gpu
