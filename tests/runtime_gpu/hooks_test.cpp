// SPDX-License-Identifier: Apache-2.0
// A program whose launches go through the hooks: what they launch.
#include "relayout/base/cuda_abi.h"
#include "relayout/device/module.h"

#include <gtest/gtest.h>

#include <vector>

using namespace relayout::cuda_abi;

extern "C" {
extern const void *launchedKernel; // by the runtime's stand-in
// NOLINTBEGIN(bugprone-reserved-identifier): CUDA's names
Status __cudaLaunchKernel(void *kernel, dim3 grid, dim3 block, void **arguments, size_t sharedBytes,
                          cudaStream_t stream);
Status __cudaLaunchKernel_ptsz(void *kernel, dim3 grid, dim3 block, void **arguments,
                               size_t sharedBytes, cudaStream_t stream);
// NOLINTEND(bugprone-reserved-identifier)
}

namespace {
char kernel, twin, other, stream;
std::vector<const char *> calls; ///< of the hooks
} // namespace

void relayoutGpuArm() { calls.push_back("arm"); }

const void *relayoutGpuKernelOrTwin(const void *asked, std::size_t sharedBytes, void *where) {
  calls.push_back("choose");
  EXPECT_EQ(sharedBytes, 64u);
  EXPECT_EQ(where, &stream);
  return asked == &kernel ? &twin : asked;
}

namespace relayout::gpu {
namespace {

TEST(Hooks, LaunchWhatTheRuntimeChooses) {
  for (const auto launch : {&__cudaLaunchKernel, &__cudaLaunchKernel_ptsz}) {
    calls.clear();
    EXPECT_EQ(launch(&kernel, {1, 1, 1}, {1, 1, 1}, nullptr, 64, &stream), 0);
    EXPECT_EQ(launchedKernel, &twin);
    EXPECT_EQ(calls, (std::vector<const char *>{"arm", "choose"})); // buffers come first
    EXPECT_EQ(launch(&other, {1, 1, 1}, {1, 1, 1}, nullptr, 64, &stream), 0);
    EXPECT_EQ(launchedKernel, &other);
  }
}

} // namespace
} // namespace relayout::gpu
