// SPDX-License-Identifier: Apache-2.0
// What a traced run on the CPU tells of launches.
#include "relayout_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayout::test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(TracedLaunches, KernelsThatAPointerLaunchesHaveTheirOwnNamesAndRoomForAddresses) {
  const Workplace place;
  place.write("main.cu", R"(
namespace {
__global__ void ahead(float *to, const float *from, int n) {
  to[blockIdx.x * n + threadIdx.x] = from[blockIdx.x * n + threadIdx.x];
}
}
namespace slow {
__global__ void across(float *to, const float *from, int n) {
  to[threadIdx.x * n + blockIdx.x] = from[blockIdx.x * n + threadIdx.x];
}
}
extern "C" __global__ void back(float *to, const float *from, int n) {
  to[blockIdx.x * n + threadIdx.x] = from[blockIdx.x * n + n - 1 - threadIdx.x];
}
int main() {
  const int n = 256;
  float *to, *from;
  cudaMalloc(&to, n * n * sizeof(float));
  cudaMalloc(&from, n * n * sizeof(float));
  cudaMemset(from, 0, n * n * sizeof(float));
  void (*kernel)(float *, const float *, int) = nullptr;
  for (int which = 0; which < 6; ++which) {
    switch (which % 3) {
    case 0: kernel = &back; break;
    case 1: kernel = &ahead; break;
    default: kernel = &slow::across; break;
    }
    for (int i = 0; i < 250; ++i)
      kernel<<<n, n>>>(to, from, n);
  }
  float first;
  cudaMemcpy(&first, to, sizeof first, cudaMemcpyDeviceToHost);
})");
  const Outcome outcome = place.relayout("optimize main.cu -o out");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("1,500 launches of 3 kernels"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("unsampled")));
  EXPECT_THAT(outcome.out, HasSubstr("extents of an order that would bring them together"))
      << "the slow one was sampled";
}

TEST(TracedLaunches, AnAtomicMayReadItsPointerFromAMember) {
  const Workplace place;
  place.write("main.cu", R"(
struct Entry { unsigned key; int value; };
struct Pool {
  Entry *entries; int *top;
  __device__ void push(unsigned key) {
    const int at = atomicAdd(top, 1);
    entries[at].key = key;
    entries[at].value = 3;
  }
};
__global__ void fill(Pool pool) { pool.push(threadIdx.x); }
int main() {
  Pool pool; Entry h[32];
  cudaMalloc(&pool.entries, sizeof h);
  cudaMalloc(&pool.top, sizeof(int));
  cudaMemset(pool.top, 0, sizeof(int));
  fill<<<1, 32>>>(pool);
  cudaMemcpy(h, pool.entries, sizeof h, cudaMemcpyDeviceToHost);
})");
  const Outcome outcome = place.relayout("optimize main.cu --layout soa -o out");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("verified: 1 copy"));
}

} // namespace
} // namespace relayout::test
