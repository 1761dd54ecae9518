// SPDX-License-Identifier: Apache-2.0
// What of a program's results is compared, and what is said where there is nothing to compare.
#include "relayout_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayout::test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ComparedResults, AddressesInCopiedStructsAreLeftOut) {
  const Workplace place;
  place.write("main.cu", R"(
struct P { float x, y; int k; };
struct Scene { P *a; const P *b; int n; float sum; };
__global__ void add(Scene *s) {
  const int i = threadIdx.x;
  s->a[i].x += s->b[i].y;
  if (i == 0) s->sum = s->n;
}
int main() {
  P host[64], *a, *b;
  for (int i = 0; i < 64; ++i) host[i] = P{1.f * i, 2, i};
  cudaMalloc(&a, sizeof(host));
  cudaMalloc(&b, sizeof(host));
  cudaMemcpy(a, host, sizeof(host), cudaMemcpyHostToDevice);
  cudaMemcpy(b, host, sizeof(host), cudaMemcpyHostToDevice);
  Scene scene = {a, b, 64, 0}, *s;
  cudaMalloc(&s, sizeof(Scene));
  cudaMemcpy(s, &scene, sizeof(Scene), cudaMemcpyHostToDevice);
  add<<<1, 64>>>(s);
  cudaMemcpy(&scene, s, sizeof(Scene), cudaMemcpyDeviceToHost);
  cudaMemcpy(host, a, sizeof(host), cudaMemcpyDeviceToHost);
  return scene.sum != 64;
})");
  const Outcome outcome = place.relayout("optimize main.cu --on cpu --layout soa -o out");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("verified: 2 copies, 776 bytes, identical (16 bytes of "
                                     "record padding and addresses left out)"));
}

/// \param allocation  a call that fills in `p`
std::string withoutCopies(const std::string &allocation) {
  return "struct P { float x, y, z; };\n"
         "__global__ void move(P *p) { p[blockIdx.x * 64 + threadIdx.x].x += 1; }\n"
         "int main() {\n  P *p;\n  " +
         allocation + "\n  move<<<4, 64>>>(p);\n  cudaDeviceSynchronize();\n  cudaFree(p);\n}\n";
}

TEST(ComparedResults, AProgramWithoutThemIsToldAfterTheTracedRun) {
  const Workplace place;
  place.write("main.cu", withoutCopies("cudaMalloc(&p, 256 * sizeof(P));\n"
                                       "  cudaMemset(p, 0, 256 * sizeof(P));"));
  const Outcome outcome = place.relayout("optimize main.cu --on cpu --layout soa -o out");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("nothing is copied to the host"));
  EXPECT_THAT(outcome.err, HasSubstr("RL-V02"));
  EXPECT_THAT(outcome.err, HasSubstr("--plan out/plan.json"));
  EXPECT_THAT(outcome.err, Not(HasSubstr("build original and rewritten program")));
  EXPECT_NE(place.read("out/plan.json"), "");
}

TEST(ComparedResults, StatesOfManagedMemoryAreResults) {
  const Workplace place;
  place.write("main.cu", withoutCopies("cudaMallocManaged(&p, 256 * sizeof(P));"));
  const Outcome outcome = place.relayout("optimize main.cu --on cpu --layout soa -o out");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("states of arrays that the host shares with kernels"));
}

TEST(ComparedResults, AnArrayThatALayoutLeavesAloneIsToldWhy) {
  const Workplace place;
  place.write("main.cu", R"(
struct Vec { float e[3]; };
__global__ void fill(Vec *v) { v[threadIdx.x].e[1] = threadIdx.x; }
int main() {
  Vec host[64], *v;
  cudaMalloc(&v, sizeof(host));
  fill<<<1, 64>>>(v);
  cudaMemcpy(host, v, sizeof(host), cudaMemcpyDeviceToHost);
})");
  const Outcome outcome = place.relayout("optimize main.cu --on cpu --layout soa -o out");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_THAT(outcome.err, HasSubstr("'--layout exploded-soa' stores each of its 3 elements"));
  EXPECT_THAT(outcome.out, HasSubstr("nothing to rewrite"));
}

} // namespace
} // namespace relayout::test
