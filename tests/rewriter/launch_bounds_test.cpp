// SPDX-License-Identifier: Apache-2.0
// Which kernels get the bounds that a plan has for them.
#include "support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayout::rewriter::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(LaunchBounds, AreNotForKernelsThatRunCodeOfAnotherUnit) {
  const fs::path scratch = scratchFolder();
  writeText(scratch / "body.h", R"(struct Body {
  float x, mass;
};
typedef float (*Weight)(float);
__device__ float weigh(const Body *bodies, int i);
__device__ extern Weight weight;
)");
  writeText(scratch / "main.cu", R"(#include "body.h"
__device__ float half(float x) { return 0.5f * x; }
__device__ float more(const Body *bodies, int i) { return 2 * weigh(bodies, i); }
__global__ void own(Body *bodies) { bodies[threadIdx.x].x = half(bodies[threadIdx.x].mass); }
__global__ void byName(Body *bodies) { bodies[threadIdx.x].x = more(bodies, threadIdx.x); }
__global__ void byPointer(Body *bodies) { bodies[threadIdx.x].x = weight(bodies[threadIdx.x].mass); }
template <class Get> __global__ void byTemplate(Body *bodies, Get get) {
  bodies[threadIdx.x].x = get(bodies, threadIdx.x);
}
struct Other {
  __device__ float operator()(const Body *bodies, int i) const { return weigh(bodies, i); }
};
int main() {
  Body *bodies;
  cudaMalloc(&bodies, 32 * sizeof(Body));
  cudaMemset(bodies, 0, 32 * sizeof(Body));
  own<<<1, 32>>>(bodies);
  byName<<<1, 32>>>(bodies);
  byPointer<<<1, 32>>>(bodies);
  byTemplate<<<1, 32>>>(bodies, Other());
  cudaFree(bodies);
}
)");
  writeText(scratch / "weigh.cu", R"(#include "body.h"
__device__ float weigh(const Body *bodies, int i) { return bodies[i].mass; }
__device__ float same(float x) { return x; }
__device__ Weight weight = same;
)");
  const instrument::ParsedProgram program = programOf({scratch / "main.cu", scratch / "weigh.cu"});
  const Result<Rewrite> result =
      rewrite(program, planFor(program, "Body soa\n__launch_bounds__ own\n"
                                        "__launch_bounds__ byName\n__launch_bounds__ byPointer\n"
                                        "__launch_bounds__ byTemplate"));
  ASSERT_TRUE(result) << result.error().text;
  ASSERT_TRUE(instrument::writeSources(result->sources, (scratch / "rewritten").string()));
  const std::string text = readText(scratch / "rewritten" / "main.cu");
  EXPECT_THAT(text, HasSubstr("__global__ __launch_bounds__(1024, 1) void own("));
  EXPECT_THAT(text, HasSubstr("__global__ void byName("));
  EXPECT_THAT(text, HasSubstr("__global__ void byPointer("));
  EXPECT_THAT(text, HasSubstr("__global__ void byTemplate("));
  fs::remove_all(scratch);
}

} // namespace
} // namespace relayout::rewriter::test
