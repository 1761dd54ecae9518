// SPDX-License-Identifier: Apache-2.0
// Policy replay: which kernels get launch bounds.
#include "relayout/analysis/replay/search/launch_bounds.h"
#include "replay_machine.h"

#include <gtest/gtest.h>

namespace relayout::analysis {
namespace {

/// A kernel as nvcc makes it without and with bounds.
struct Case {
  CompiledKernel asWritten;
  CompiledKernel bounded;
  std::uint32_t threads = 128;
};

std::vector<BoundedKernel> found(const Case &kernel, bool isMeasured) {
  trace::Trace trace;
  trace.kernels = {"step"};
  trace.launches.push_back({.kernel = 0, .grid = {1024, 1, 1}, .block = {kernel.threads, 1, 1}});
  return kernelsToBound(trace, {{"step", kernel.asWritten}}, {{"step", kernel.bounded}}, {"step"},
                        h100(), isMeasured);
}

TEST(LaunchBounds, AreForKernelsThatGainMoreThanTheyLose) {
  const auto kernels = found({{32, 0, {}, 1000}, {40, 0, {}, 600}}, /*isMeasured=*/false);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].registers, 32u);
  EXPECT_EQ(kernels[0].moreRegisters, 40u);
  EXPECT_DOUBLE_EQ(kernels[0].loneTime, 0.6);
  EXPECT_DOUBLE_EQ(kernels[0].warps, 0.75) << "12 instead of 16 blocks of 128 threads";
}

TEST(LaunchBounds, AreTriedOnAGpuWhereTheGainIsInDoubt) {
  const Case doubtful{{32, 0, {}, 1000}, {64, 0, {}, 600}}; // half of the warps
  EXPECT_TRUE(found(doubtful, /*isMeasured=*/false).empty());
  EXPECT_EQ(found(doubtful, /*isMeasured=*/true).size(), 1u);
}

TEST(LaunchBounds, AreForNoOtherKernels) {
  EXPECT_TRUE(found({{32, 0, {}, 1000}, {40, 0, {}, 900}}, true).empty()) << "gains too little";
  EXPECT_TRUE(found({{64, 0, {}, 1000}, {64, 0, {}, 600}}, true).empty())
      << "has no more registers";
  EXPECT_TRUE(found({{32, 0, {}, 1000}, {64, 8, {}, 600}}, true).empty()) << "spills";
  EXPECT_TRUE(found({{32, 0, {}, 0}, {40, 0, {}, 0}}, true).empty()) << "its code is not known";
}

} // namespace
} // namespace relayout::analysis
