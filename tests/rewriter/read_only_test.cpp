// SPDX-License-Identifier: Apache-2.0
// Where views of const records may read early: only what no kernel writes that reads it so.
#include "support.h"

#include <gtest/gtest.h>

namespace relayout::rewriter::test {
namespace {

namespace fs = std::filesystem;

constexpr const char *kRecord = "struct Body { float x, y; };\n";
constexpr const char *kMain = R"(
int main() {
  Body host[64] = {}, *a, *b;
  cudaMalloc(&a, sizeof(host));
  cudaMalloc(&b, sizeof(host));
  cudaMemcpy(a, host, sizeof(host), cudaMemcpyHostToDevice);
  cudaMemcpy(b, host, sizeof(host), cudaMemcpyHostToDevice);
  run(a, b);
  cudaMemcpy(host, a, sizeof(host), cudaMemcpyDeviceToHost);
  cudaFree(a);
  cudaFree(b);
}
)";

/// Whether the views of const records in the rewritten program read early.
bool readsEarly(const std::string &deviceCode) {
  const fs::path scratch = scratchFolder();
  writeText(scratch / "bodies.cu", kRecord + deviceCode + kMain);
  const instrument::ParsedProgram program = programOf({scratch / "bodies.cu"});
  const Result<Rewrite> result = rewrite(program, planFor(program, "Body soa"));
  EXPECT_TRUE(result) << result.error().text;
  if (!result)
    return false;
  for (const Diagnostic &finding : result->findings)
    ADD_FAILURE() << render(finding);
  bool reads = false;
  for (const instrument::SourceText &file : result->sources.files)
    reads |= file.text.find("::readOnly(plane") != std::string::npos;
  fs::remove_all(scratch);
  return reads;
}

TEST(ReadOnly, IsWhatNoDeviceCodeWrites) {
  EXPECT_TRUE(readsEarly(R"(
__device__ float lengthOf(const Body *b) { return b->x * b->x + b->y * b->y; }
__global__ void sum(const Body *a, const Body *b, float *out) {
  out[threadIdx.x] = lengthOf(a + threadIdx.x) + b[threadIdx.x].x;
}
void run(Body *a, Body *b) {
  float *out;
  cudaMalloc(&out, 256);
  sum<<<1, 64>>>(a, b, out);
  cudaFree(out);
}
)"));
}

TEST(ReadOnly, IsWhatKernelsPromise) {
  EXPECT_TRUE(readsEarly(R"(
__device__ float lengthOf(const Body *b) { return b->x * b->x + b->y * b->y; }
__global__ void step(const Body *__restrict__ from, Body *__restrict__ to) {
  const Body *mine = from + threadIdx.x;
  to[threadIdx.x].x = lengthOf(mine) + from[threadIdx.x].y;
}
void run(Body *a, Body *b) { step<<<1, 64>>>(a, b); }
)"));
}

TEST(ReadOnly, IsNothingThatAnotherPointerMayWrite) {
  EXPECT_FALSE(readsEarly(R"(
__global__ void step(const Body *from, Body *to) { to[threadIdx.x].x = from[threadIdx.x].y; }
void run(Body *a, Body *b) { step<<<1, 64>>>(a, b); }
)"));
}

/// One kernel's promise is not another's.
TEST(ReadOnly, IsNothingThatOneOfTheKernelsMayWrite) {
  EXPECT_FALSE(readsEarly(R"(
__global__ void step(const Body *__restrict__ from, Body *to) {
  to[threadIdx.x].x = from[threadIdx.x].y;
}
__global__ void stepInPlace(const Body *from, Body *to) {
  to[threadIdx.x].x = from[63 - threadIdx.x].y;
}
void run(Body *a, Body *b) {
  step<<<1, 64>>>(a, b);
  stepInPlace<<<1, 64>>>(a, a);
}
)"));
}

TEST(ReadOnly, IsNotWhatTheKernelWritesThroughAPointerThatBecameConst) {
  EXPECT_FALSE(readsEarly(R"(
__device__ float lengthOf(const Body *b) { return b->x * b->x + b->y * b->y; }
__global__ void step(Body *bodies) {
  bodies[threadIdx.x].x = 1;
  bodies[threadIdx.x].y = lengthOf(bodies + threadIdx.x);
}
void run(Body *a, Body *b) {
  step<<<1, 64>>>(a);
  step<<<1, 64>>>(b);
}
)"));
}

TEST(ReadOnly, IsNotWhatStructsOfPointersHold) {
  EXPECT_FALSE(readsEarly(R"(
struct Arrays { const Body *from; Body *to; };
__global__ void step(Arrays arrays) { arrays.to[threadIdx.x].x = arrays.from[threadIdx.x].y; }
void run(Body *a, Body *b) { step<<<1, 64>>>({a, b}); }
)"));
}

} // namespace
} // namespace relayout::rewriter::test
