// SPDX-License-Identifier: Apache-2.0
// `relayout verify`: which differences are faults of a rewrite, and which are the original's own.
#include "managed_program.h"
#include "relayout_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayout::test {
namespace {

using testing::HasSubstr;

TEST(Verify, FindsAWrongRewriteOfAManagedArray) {
  const Workplace place;
  place.write("managed.cu", kManaged);
  ASSERT_EQ(place.relayout("rewrite managed.cu --layout soa -o rewritten").exitCode, 0);
  std::string wrong = place.read("rewritten/managed.cu");
  const std::string access = "0.5f * points.y(i)";
  ASSERT_NE(wrong.find(access), std::string::npos) << wrong;
  wrong.replace(wrong.find(access), access.size(), "0.5f * points.x(i)");
  place.write("rewritten/managed.cu", wrong);
  const Outcome outcome = place.relayout("verify managed.cu rewritten/managed.cu -o out");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("[RL-V01]"));
  EXPECT_THAT(outcome.err, HasSubstr("(array allocated at "));
}

TEST(Verify, FindsAWrongRewrite) {
  const Workplace place;
  ASSERT_EQ(place.relayout("rewrite " + sample("drift") + " --layout soa -o rewritten").exitCode,
            0);
  std::string wrong = place.read("rewritten/drift.cu");
  const std::string access = "buoys.current(i)";
  ASSERT_NE(wrong.find(access), std::string::npos) << wrong;
  wrong.replace(wrong.find(access), access.size(), "buoys.drag(i)");
  place.write("rewritten/drift.cu", wrong);
  const Outcome outcome =
      place.relayout("verify " + sample("drift") + " rewritten/drift.cu -- --buoys 100");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("[RL-V01]"));
  EXPECT_THAT(outcome.err, HasSubstr("copy 1 of 1"));
}

/// What it copies depends on which block comes first: no fault of the rewrite's.
TEST(Verify, TheOrderOfBlocksIsNoFault) {
  const Workplace place;
  place.write("order.cu", "struct Body { float x, y; };\n"
                          "__device__ int arrived;\n"
                          "__global__ void k(Body *b) {\n"
                          "  volatile int spent = 0;\n"
                          "  for (int i = 0; i < (blockIdx.x % 7) * 2000; ++i) spent = i;\n"
                          "  if (threadIdx.x == 0) b[atomicAdd(&arrived, 1)].x = blockIdx.x;\n"
                          "}\n"
                          "int main() {\n"
                          "  Body *b, h[256];\n"
                          "  cudaMalloc(&b, sizeof(h));\n"
                          "  cudaMemset(b, 0, sizeof(h));\n"
                          "  k<<<256, 32>>>(b);\n"
                          "  cudaMemcpy(h, b, sizeof(h), cudaMemcpyDeviceToHost);\n"
                          "}\n");
  const Outcome outcome =
      place.shell("RELAYOUT_WORKERS=4 relayout optimize order.cu --layout soa -o out");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("identical"));
}

/// Of which each has its own arrays, as one for each GPU would; the later ones wait less.
TEST(Verify, HostThreadsMayCopyInAnyOrder) {
  const Workplace place;
  place.write("threads.cu", "#include <chrono>\n"
                            "#include <thread>\n"
                            "#include <vector>\n"
                            "struct Body { float x, y; };\n"
                            "__global__ void k(Body *b, float by) { b[threadIdx.x].x += by; }\n"
                            "void run(int t) {\n"
                            "  Body *b, h[32] = {};\n"
                            "  cudaMalloc(&b, sizeof(h));\n"
                            "  cudaMemcpy(b, h, sizeof(h), cudaMemcpyHostToDevice);\n"
                            "  k<<<1, 32>>>(b, t);\n"
                            "  std::this_thread::sleep_for(std::chrono::milliseconds(\n"
                            "      clock() % 7 * 5));\n"
                            "  cudaMemcpy(h, b, sizeof(h), cudaMemcpyDeviceToHost);\n"
                            "}\n"
                            "int main() {\n"
                            "  std::vector<std::thread> threads;\n"
                            "  for (int t = 0; t < 6; ++t) threads.emplace_back(run, t);\n"
                            "  for (std::thread &thread : threads) thread.join();\n"
                            "}\n");
  const Outcome outcome = place.relayout("optimize threads.cu --layout soa -o out");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("6 copies, 1,536 bytes, identical"));
}

TEST(Verify, ASeedFromTheTimeOfDayIsTheSameInBothRuns) {
  const Workplace place;
  place.write(
      "p.cu",
      "#include <chrono>\n#include <cstdlib>\n#include <sys/time.h>\n"
      "struct P { float x; int n; };\n"
      "__global__ void k(P *p, int n) { p[threadIdx.x].n = n + threadIdx.x; }\n"
      "int main() {\n"
      "  timeval now; gettimeofday(&now, nullptr);\n"
      "  using Milliseconds = std::chrono::milliseconds;\n"
      "  const auto since = std::chrono::system_clock::now().time_since_epoch();\n"
      "  srand(now.tv_usec / 1000 + std::chrono::duration_cast<Milliseconds>(since).count());\n"
      "  P *p; cudaMalloc(&p, 32 * sizeof(P)); cudaMemset(p, 0, 32 * sizeof(P));\n"
      "  k<<<1, 32>>>(p, rand());\n"
      "  P q[32]; cudaMemcpy(q, p, sizeof q, cudaMemcpyDeviceToHost); }\n");
  const Outcome outcome = place.relayout("optimize p.cu --layout soa -o out");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("verified: 1 copy"));
}

/// What is copied first depends on where the random numbers come from, the second copy does not.
TEST(Verify, WhatTheOriginalDoesNotRepeatIsNoFault) {
  const std::string start =
      "#include <cstdio>\n"
      "struct P { float x; int n; };\n"
      "__global__ void k(P *p, int n) { p[threadIdx.x].n = n + threadIdx.x; }\n"
      "int main() { unsigned seed = 0; FILE *source = fopen(\"/dev/urandom\", \"r\");\n"
      "  if (fread(&seed, sizeof seed, 1, source) != 1) return 1;\n"
      "  P q[32], *p; cudaMalloc(&p, sizeof q); cudaMemset(p, 0, sizeof q);\n"
      "  k<<<1, 32>>>(p, seed % 1000000);\n"
      "  cudaMemcpy(q, p, sizeof q, cudaMemcpyDeviceToHost);\n";
  const Workplace place;
  place.write("one.cu", start + "}\n");
  place.write("two.cu", start + "  k<<<1, 32>>>(p, 5);\n"
                                "  cudaMemcpy(q, p, sizeof q, cudaMemcpyDeviceToHost); }\n");
  const Outcome none = place.relayout("optimize one.cu --on cpu --layout soa -o one");
  EXPECT_EQ(none.exitCode, 1);
  EXPECT_THAT(none.err, HasSubstr("[RL-V07]"));
  const Outcome second = place.relayout("optimize two.cu --on cpu --layout soa -o two");
  EXPECT_EQ(second.exitCode, 0) << second.err;
  EXPECT_THAT(second.out, HasSubstr("verified: 1 copy"));
  EXPECT_THAT(second.out, HasSubstr("1 more copy, which varies between runs"));
}

/// It reads an array that it has freed, in whose place there are other numbers by then.
TEST(Verify, WhatIsUndefinedIsNoFaultAndNotVerified) {
  const Workplace place;
  place.write("freed.cu", R"(
struct P { float x, y; };
__global__ void k(P *p, float *sums) { sums[threadIdx.x] = p[threadIdx.x].x + 2 * p[threadIdx.x].y; }
int main() {
  const int n = 256;
  static P host[n];
  float numbers[n], *others, *sums;
  for (int i = 0; i < n; ++i) {
    host[i] = {1.f * i, 2.f * i};
    numbers[i] = 3.f * i;
  }
  P *p;
  cudaMalloc(&p, sizeof host);
  cudaMalloc(&sums, sizeof numbers);
  cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);
  cudaFree(p);
  cudaMalloc(&others, sizeof numbers);
  cudaMemcpy(others, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  k<<<1, n>>>(p, sums);
  cudaMemcpy(numbers, sums, sizeof numbers, cudaMemcpyDeviceToHost);
}
)");
  const Outcome outcome = place.relayout("optimize freed.cu --on cpu --layout soa -o out");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(
      outcome.err,
      HasSubstr("and so has the original where memory that it has freed holds other bytes"));
  EXPECT_THAT(outcome.err, HasSubstr("[RL-V07]"));
}

/// In the array of structs the fifth number is the member behind the array.
TEST(Verify, AnIndexBeyondAnArrayIsToldWithItsPlace) {
  const Workplace place;
  place.write("beyond.cu", R"(
struct P { int n; int v[4]; int last; };
__global__ void fill(P *p, int n) {
  P &own = p[threadIdx.x];
  own.last = 7;
  own.n = n;
  for (int k = 0; k < n; ++k)
    own.v[k] = k + threadIdx.x;
}
__global__ void sum(const P *p, int *sums) { sums[threadIdx.x] = p[threadIdx.x].last; }
int main(int argc, char **) {
  const int n = 64;
  int host[n], *sums;
  P *p;
  cudaMalloc(&p, n * sizeof(P));
  cudaMalloc(&sums, sizeof host);
  fill<<<1, n>>>(p, 4 + argc);
  sum<<<1, n>>>(p, sums);
  cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost);
}
)");
  const Outcome outcome = place.relayout("optimize beyond.cu --on cpu --layout soa -o out");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("beyond.cu:8:"));
  EXPECT_THAT(outcome.err, HasSubstr("error: not verified: copy 1 of 1"));
  EXPECT_THAT(outcome.err, HasSubstr("beyond the end of its array"));
  EXPECT_THAT(outcome.err, HasSubstr("[RL-V07]"));
}

TEST(Verify, SaysWhyThereMayBeNoFolder) {
  const Workplace place;
  place.write("plain.cu", "int main() { return 0; }\n");
  const Outcome outcome = place.relayout("verify plain.cu --rewritten nowhere");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("there is no folder 'nowhere' [RL-F01]"));
  EXPECT_THAT(outcome.err, HasSubstr("'relayout rewrite' makes none where nothing would change"));
}

} // namespace
} // namespace relayout::test
