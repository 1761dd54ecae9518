// SPDX-License-Identifier: Apache-2.0
// Which launches run a kernel's twin.
#include "relayout/gpu/kernel_twins.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace relayout::gpu {
namespace {

/// Host addresses of two kernels and their twins, and the handles of the first ones.
std::array<char, 6> kernels;
const void *const kFirst = &kernels[0], *const kFirstTwin = &kernels[1];
const void *const kSecond = &kernels[2], *const kSecondTwin = &kernels[3];
const void *const kHandle = &kernels[4], *const kTwinHandle = &kernels[5];
const std::array<device::Twin, 2> kTwins = {{{kFirst, kFirstTwin}, {kSecond, kSecondTwin}}};

int limitsTaken = 0;
bool fits = true;

device::Module moduleOf(std::size_t rows) {
  device::Module module{};
  module.twins = kTwins.data();
  module.twinRows = rows;
  module.handleOf = [](const void *kernel) {
    return kernel == kFirst ? kHandle : kernel == kFirstTwin ? kTwinHandle : nullptr;
  };
  module.takeLimits = [](const device::Twin &) {
    ++limitsTaken;
    return fits;
  };
  return module;
}

class Twins : public testing::Test {
protected:
  void SetUp() override {
    limitsTaken = 0;
    fits = true;
    twins.add(module);
  }
  /// Launches without shared memory, in a trace with records.
  const void *launch(const void *kernel, int times = 1, void *context = nullptr) {
    const void *launched = nullptr;
    while (times-- > 0)
      launched = twins.choose(context, kernel, 0, true);
    return launched;
  }

  const device::Module module = moduleOf(kTwins.size());
  KernelTwins twins;
};

TEST_F(Twins, RunOnceTheSampleIsFull) {
  EXPECT_EQ(launch(kFirst, 16), kFirst);
  EXPECT_EQ(limitsTaken, 0);
  std::set<const void *> launched;
  for (int i = 0; i < 16; ++i)
    launched.insert(launch(kFirst));
  EXPECT_EQ(launched, (std::set<const void *>{kFirst, kFirstTwin}));
  EXPECT_EQ(limitsTaken, 1);
  EXPECT_EQ(launch(kSecond), kSecond); // has launches of its own
}

TEST_F(Twins, EightLaunchesOfEveryDoublingHaveRecords) {
  std::uint64_t launch = 0;
  for (; launch < 16; ++launch)
    EXPECT_TRUE(isRecordedLaunch(launch)) << launch;
  for (std::uint64_t end = 32; end <= 1u << 20; end *= 2) {
    std::set<std::uint64_t> phases;
    int recorded = 0;
    for (; launch < end; ++launch)
      if (isRecordedLaunch(launch)) {
        ++recorded;
        phases.insert(launch % 8);
      }
    EXPECT_EQ(recorded, 8) << end;
    EXPECT_GT(phases.size(), end < 128 ? 0u : 2u) << end;
  }
}

TEST_F(Twins, RunAtOnceInATraceOfCounts) {
  EXPECT_EQ(twins.choose(nullptr, kFirst, 0, false), kFirstTwin);
}

TEST_F(Twins, AreNamedAsTheCallerNamesKernels) {
  EXPECT_EQ(twins.choose(nullptr, kHandle, 0, false), kTwinHandle);
  EXPECT_EQ(launch(kFirst, 15), kFirst); // the same kernel
  std::set<const void *> launched;
  for (int i = 0; i < 16; ++i)
    launched.insert(launch(kHandle));
  EXPECT_EQ(launched, (std::set<const void *>{kHandle, kTwinHandle}));
}

TEST_F(Twins, OtherKernelsAreLaunchedAsTheyAre) {
  const char other = 0;
  EXPECT_EQ(twins.choose(nullptr, &other, 0, false), &other);
}

TEST_F(Twins, DoNotRunWhereTheyDoNotFit) {
  fits = false;
  EXPECT_EQ(twins.choose(nullptr, kFirst, 0, false), kFirst);
  EXPECT_EQ(twins.choose(nullptr, kFirst, 0, false), kFirst);
  EXPECT_EQ(limitsTaken, 1);
}

TEST_F(Twins, TakeTheLimitsAgainForMoreSharedMemory) {
  for (const std::size_t bytes : {64, 128, 100, 128})
    EXPECT_EQ(twins.choose(nullptr, kFirst, bytes, false), kFirstTwin);
  EXPECT_EQ(limitsTaken, 2);
}

TEST_F(Twins, EachContextHasLaunchesAndLimitsOfItsOwn) {
  char contexts[2];
  EXPECT_EQ(launch(kFirst, 16, &contexts[0]), kFirst);
  EXPECT_EQ(launch(kFirst, 16, &contexts[1]), kFirst);
  EXPECT_EQ(twins.choose(&contexts[0], kFirst, 0, false), kFirstTwin);
  twins.forget(&contexts[0]);
  EXPECT_EQ(launch(kFirst, 16, &contexts[0]), kFirst);
  EXPECT_EQ(twins.choose(&contexts[0], kFirst, 0, false), kFirstTwin);
  EXPECT_EQ(limitsTaken, 2);
}

TEST_F(Twins, DoNotRunWhereSeveralUnitsDefineTheKernel) {
  const device::Module other = moduleOf(1);
  twins.add(other);
  EXPECT_EQ(twins.choose(nullptr, kFirst, 0, false), kFirst);
  EXPECT_EQ(twins.choose(nullptr, kHandle, 0, false), kHandle);
  EXPECT_EQ(twins.choose(nullptr, kSecond, 0, false), kSecondTwin);
}

} // namespace
} // namespace relayout::gpu
