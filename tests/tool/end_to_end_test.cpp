// SPDX-License-Identifier: Apache-2.0
// The whole pipeline on the samples, as a user runs it.
#include "relayout_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace relayout::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

struct Case {
  const char *program;
  const char *arguments; ///< small, and the program checks its own result
  bool soaExpected;      ///< what policy nakai chooses
};

void PrintTo(const Case &value, std::ostream *out) { *out << value.program; }

class Samples : public testing::TestWithParam<Case> {};

TEST_P(Samples, OptimizeDecidesRewritesAndVerifies) {
  const Case &param = GetParam();
  const Workplace place;
  const Outcome outcome = place.relayout("optimize " + sample(param.program) +
                                         " --policy nakai -o out -- " + param.arguments);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("verified: "));
  EXPECT_THAT(outcome.out, HasSubstr("identical"));
  EXPECT_THAT(outcome.out, HasSubstr("+++ "));
  const auto plan = nlohmann::json::parse(place.read("out/plan.json"));
  for (const auto &decision : plan["decisions"]) {
    const auto &clusters = decision["layout"]["clusters"];
    if (param.soaExpected) {
      EXPECT_EQ(clusters.size(), decision["fields"].size());
    }
  }
  if (!param.soaExpected) {
    // The array that decides the program's time keeps its records together, aligned to 16 bytes.
    const auto &layout = plan["decisions"][0]["layout"];
    EXPECT_LT(layout["clusters"].size(), plan["decisions"][0]["fields"].size());
    EXPECT_EQ(layout["clusters"][0]["alignment"], 16);
  }
  EXPECT_TRUE(place.has(std::string("out/rewritten/") + param.program + ".cu"));
}

INSTANTIATE_TEST_SUITE_P(All, Samples,
                         testing::Values(Case{"idw", "--stations 300 --queries 500 --check", false},
                                         Case{"sph", "--side 8 --steps 3 --check", false},
                                         Case{"drift", "--buoys 3000 --steps 4 --check", true}),
                         [](const auto &instance) { return std::string(instance.param.program); });

// Its accesses are in methods, which do not tell which array they serve.
TEST(Optimize, ArraysOfAClassWithAccessorsAreDecidedOneByOne) {
  const Workplace place;
  place.write("shots.cu", R"(#include <cuda_runtime.h>
#include <vector>
class Shot {
public:
  __host__ __device__ Shot(float angle = 0, float speed = 0) : angle_(angle), speed_(speed), range_(0) {}
  __host__ __device__ float angle() const { return angle_; }
  __host__ __device__ float speed() const { return speed_; }
  __host__ __device__ void setRange(float range) { range_ = range; }
private:
  float angle_, speed_, range_, unused_[5];
};
__global__ void fly(const Shot *in, Shot *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i].setRange(in[i].speed() * in[i].angle() + out[i].speed());
}
int main() {
  const int n = 4096;
  std::vector<Shot> shots(n, Shot(0.5f, 2.0f));
  Shot *in, *out;
  cudaMalloc(&in, n * sizeof(Shot));
  cudaMalloc(&out, n * sizeof(Shot));
  cudaMemcpy(in, shots.data(), n * sizeof(Shot), cudaMemcpyHostToDevice);
  cudaMemcpy(out, shots.data(), n * sizeof(Shot), cudaMemcpyHostToDevice);
  for (int step = 0; step < 10; ++step)
    fly<<<n / 256, 256>>>(in, out, n);
  cudaMemcpy(shots.data(), out, n * sizeof(Shot), cudaMemcpyDeviceToHost);
  cudaFree(in);
  cudaFree(out);
}
)");
  const Outcome outcome = place.relayout("optimize shots.cu --machine h200 -o out");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  const auto plan = nlohmann::json::parse(place.read("out/plan.json"));
  ASSERT_EQ(plan["decisions"].size(), 2u);
  for (const auto &decision : plan["decisions"]) {
    EXPECT_FALSE(decision["keep"]) << decision["reason"];
    EXPECT_GT(decision["layout"]["clusters"].size(), 1u);
  }
  EXPECT_THAT(outcome.out, HasSubstr("verified: "));
}

TEST(Optimize, ReportsOutOfBoundsAccessesOfTheProgram) {
  const Workplace place;
  place.write("overrun.cu", R"(#include <cuda_runtime.h>
struct Point { float x, y; };
__global__ void fill(Point *points, int n) {
  const int i = threadIdx.x;
  if (i > n) return; // one too many
  points[i].x = i;
  points[i].y = 1;
}
int main() {
  Point host[64] = {};
  Point *points;
  cudaMalloc(&points, sizeof(host));
  cudaMemcpy(points, host, sizeof(host), cudaMemcpyHostToDevice);
  fill<<<1, 96>>>(points, 64);
  cudaMemcpy(host, points, sizeof(host), cudaMemcpyDeviceToHost);
})");
  const Outcome outcome = place.relayout("optimize overrun.cu --layout soa -o out");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("overrun.cu:6:"));
  EXPECT_THAT(outcome.err, HasSubstr("[RL-V03]"));
}

constexpr const char *kManaged = R"(#include <cstdio>
struct Point { float x, y; double z; };
__global__ void move(Point *points, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    points[i].x += 0.5f * points[i].y;
}
int main() {
  const int n = 1000;
  Point *points;
  float *scale;
  cudaMallocManaged(&points, n * sizeof(Point));
  cudaMallocManaged(&scale, sizeof(float));
  *scale = 2;
  for (int i = 0; i < n; ++i)
    points[i] = {*scale * i, 1, 3};
  for (int step = 0; step < 2; ++step) {
    move<<<8, 128>>>(points, n);
    cudaDeviceSynchronize();
  }
  std::printf("%g\n", points[7].x);
  cudaFree(points);
})";

TEST(Optimize, ComparesWhatManagedArraysHold) {
  const Workplace place;
  place.write("managed.cu", kManaged);
  const Outcome outcome = place.relayout("optimize managed.cu --on cpu --layout soa -o out");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("pointMallocManaged(&points, n * sizeof(Point))"));
  EXPECT_THAT(outcome.out, HasSubstr("points.x(7)"));
  // Of either array at two synchronisations and at its end.
  EXPECT_THAT(outcome.out, HasSubstr("verified: 6 states of arrays that the host shares with "
                                     "kernels, 48,012 bytes, identical"));
}

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

TEST(RewriteCommand, ReadsWithTheToolkitWhatOurHeadersLack) {
  const Workplace place;
  if (place.shell("command -v nvcc").exitCode != 0)
    GTEST_SKIP() << "no nvcc here";
  place.write("half.cu", R"(#include <cuda_fp16.h>
struct Point { float x, y; };
__global__ void round(Point *points) {
  points[threadIdx.x].x = __half2float(__float2half(points[threadIdx.x].y));
}
int main() {
  Point *points;
  cudaMalloc(&points, 64 * sizeof(Point));
  round<<<1, 64>>>(points);
})");
  const Outcome outcome = place.relayout("rewrite half.cu --layout soa -o out");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(place.read("out/half.cu"), HasSubstr("points.x(threadIdx.x) = "));
  EXPECT_THAT(place.read("out/half.cu"), HasSubstr("pointMalloc(&points, "));
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
      "#include <random>\n"
      "struct P { float x; int n; };\n"
      "__global__ void k(P *p, int n) { p[threadIdx.x].n = n + threadIdx.x; }\n"
      "int main() { std::random_device seed;\n"
      "  P q[32], *p; cudaMalloc(&p, sizeof q); cudaMemset(p, 0, sizeof q);\n"
      "  k<<<1, 32>>>(p, seed() % 1000000);\n"
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

TEST(Stages, CanBeRunOneByOneOverFiles) {
  const Workplace place;
  const std::string source = sample("idw");
  ASSERT_EQ(place.relayout("instrument " + source + " -o traced").exitCode, 0);
  Outcome outcome = place.relayout("run traced -o idw.rlt -- --stations 100 --queries 200");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("100 stations, 200 queries")) << "the program's own output";
  outcome = place.relayout("trace dump idw.rlt --accesses 3");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_THAT(outcome.out, HasSubstr("interpolate"));
  outcome = place.relayout("analyze idw.rlt --policy nakai -o plan.json");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("ShareCoalesce"));
  outcome = place.relayout("rewrite " + source + " --plan plan.json -o rewritten");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  outcome = place.relayout("verify " + source + " rewritten/idw.cu -- --stations 50 --queries 64");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("verified: 1 copy, 1,024 bytes, identical"));
}

TEST(Stages, TakeAllSourceFilesOfAProgram) {
  const Workplace place;
  place.write("cells.h", "#pragma once\nstruct Cell { float x, y; int links[3]; };\n"
                         "__global__ void step(Cell *cells, int count);\n");
  place.write("step.cu", "#include \"cells.h\"\n#define N 2\n"
                         "__global__ void step(Cell *cells, int count) {\n"
                         "  int i = threadIdx.x;\n"
                         "  cells[i].x += cells[cells[i].links[i % 3]].y * N;\n}\n");
  place.write("main.cu", "#include \"cells.h\"\n#include <vector>\n#define N 64\n"
                         "int main() {\n  std::vector<Cell> host(N);\n"
                         "  for (int i = 0; i < N; ++i)\n"
                         "    host[i] = Cell{1.0f * i, 2.0f, {i, 63 - i, (i * 5) % N}};\n"
                         "  Cell *cells;\n  cudaMalloc(&cells, N * sizeof(Cell));\n"
                         "  cudaMemcpy(cells, host.data(), N * sizeof(Cell), "
                         "cudaMemcpyHostToDevice);\n"
                         "  step<<<1, N>>>(cells, N);\n"
                         "  cudaMemcpy(host.data(), cells, N * sizeof(Cell), "
                         "cudaMemcpyDeviceToHost);\n  cudaFree(cells);\n}\n");
  Outcome outcome = place.relayout("optimize main.cu step.cu --layout exploded-soa -o out");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("identical"));
  EXPECT_THAT(place.read("out/rewritten/step.cu"), HasSubstr("cells.links(i, i % 3)"));
  outcome =
      place.relayout("verify main.cu step.cu out/rewritten/main.cu out/rewritten/step.cu --json");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  const auto answer = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(answer["result"]["verification"]["identical"], true);
  EXPECT_EQ(answer["result"]["verification"]["copies"], 1);
  outcome = place.relayout("verify main.cu step.cu out/rewritten/main.cu");
  EXPECT_EQ(outcome.exitCode, 2);
  outcome = place.relayout("optimize main.cu --layout soa -o alone");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("[RL-C03]"));
}

TEST(Stages, FindTheLibrariesOfAToolkit) {
  const Workplace place;
  place.write("main.cu", R"(
#include <thrust/of_toolkit.h>
#include <cstdio>
struct P { float x, y; };
__global__ void k(P *p) { p[threadIdx.x].x = kOfToolkit; }
int main() {
  P *p, first;
  cudaMalloc(&p, 32 * sizeof(P));
  k<<<1, 32>>>(p);
  cudaMemcpy(&first, p, sizeof first, cudaMemcpyDeviceToHost);
  std::printf("%g\n", first.x);
}
)");
  place.write("toolkit/include/cccl/thrust/of_toolkit.h", "constexpr float kOfToolkit = 7;\n");
  place.write("toolkit/include/cccl/cstdio", "#error this is not the system's\n");
  // No nvcc comes before.
  const std::string stages = "export PATH=\"${PATH%%:*}\":/usr/bin:/bin; "
                             "relayout instrument main.cu -o traced && relayout run traced";
  const Outcome found = place.shell("export CUDA_HOME=\"$PWD/toolkit\"; " + stages);
  EXPECT_EQ(found.exitCode, 0) << found.err;
  EXPECT_THAT(found.out + found.err, ContainsRegex("(^|\n)7\n"));
  const Outcome missing = place.shell("unset CUDA_HOME CUDA_PATH; " + stages);
  EXPECT_THAT(missing.err, HasSubstr("'thrust/of_toolkit.h'"));
}

TEST(Replay, PartsWhatTheKernelTouchesFromTheRest) {
  const Workplace place;
  const Outcome outcome =
      place.relayout("optimize " + sample("drift") + " -o out -- --buoys 200000 --steps 50");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("verified: "));
  EXPECT_THAT(outcome.out, HasSubstr("not measured"));
  const auto plan = nlohmann::json::parse(place.read("out/plan.json"));
  EXPECT_EQ(plan["policy"], "replay") << "the default";
  const auto &decision = plan["decisions"][0];
  const auto isHot = [](const nlohmann::json &field) {
    const auto name = field.get<std::string>();
    return name == "position" || name == "current";
  };
  EXPECT_GT(decision["layout"]["clusters"].size(), 1u);
  for (const auto &cluster : decision["layout"]["clusters"]) {
    const auto &fields = cluster["fields"];
    const auto hot = std::count_if(fields.begin(), fields.end(), isHot);
    EXPECT_TRUE(hot == 0 || hot == static_cast<std::ptrdiff_t>(fields.size())) << cluster;
  }

  const Outcome explained = place.relayout("explain Buoy --report out/report.json");
  EXPECT_EQ(explained.exitCode, 0) << explained.err;
  EXPECT_THAT(explained.out, HasSubstr("\n    drift.cu:")) << "without its folder";
  EXPECT_THAT(explained.out, HasSubstr("read of position"));
  const Outcome again = place.relayout("explain Buoy --trace out/trace.rlt");
  EXPECT_EQ(again.out, explained.out);
  const Outcome other = place.relayout("explain Boat --report out/report.json");
  EXPECT_EQ(other.exitCode, 1);
  EXPECT_THAT(other.err, HasSubstr("[RL-A04]"));
}

TEST(Replay, ARunOfTheRealSizeIsSampledInsteadOfExtrapolated) {
  const Workplace place;
  const Outcome drift = place.relayout("optimize " + sample("drift") +
                                       " -o out --real-arguments '--buoys 4000000 --steps 9'"
                                       " -- --buoys 3000 --steps 2");
  ASSERT_EQ(drift.exitCode, 0) << drift.err;
  EXPECT_THAT(drift.out, HasSubstr("traced on sparse cpu"));
  EXPECT_THAT(drift.out, HasSubstr("launches  9; blocks 140,625, of which"));
  EXPECT_THAT(drift.out, Not(HasSubstr("extrapolated to")));
  EXPECT_THAT(drift.out, HasSubstr("Chosen: SoA"));
  EXPECT_THAT(drift.out, HasSubstr("verified: "));
}

TEST(Replay, WhereBlocksDependOnOthersTheSmallRunIsExtrapolated) {
  const Workplace place;
  place.write("main.cu", R"(#include <cstdlib>
struct P { float x; int next; };
__global__ void link(P *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { p[i].x = 1; p[i].next = (i * 7 + 3) % n; }
}
__global__ void follow(P *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i].x += p[p[i].next].x;
}
int main(int, char **words) {
  int n = std::atoi(words[1]);
  P *p; cudaMalloc(&p, n * sizeof(P)); cudaMemset(p, 0, n * sizeof(P));
  link<<<(n + 63) / 64, 64>>>(p, n);
  follow<<<(n + 63) / 64, 64>>>(p, n);
  P q; cudaMemcpy(&q, p, sizeof q, cudaMemcpyDeviceToHost);
})");
  const Outcome linked =
      place.relayout("optimize main.cu -o out --real-arguments 100000 --layout soa -- 1000");
  EXPECT_EQ(linked.exitCode, 0) << linked.err;
  EXPECT_THAT(linked.err, HasSubstr("[RL-T09]"));
  EXPECT_THAT(linked.err, ContainsRegex("main.cu:9:[0-9]+: warning: what 'follow' accesses"));
  EXPECT_THAT(linked.out, HasSubstr("extrapolated to"));
  EXPECT_THAT(linked.out, HasSubstr("verified: "));
}

TEST(Replay, DecidesForTheSizesThatAreSaid) {
  const Workplace place;
  ASSERT_EQ(place.relayout("instrument " + sample("drift") + " -o traced").exitCode, 0);
  ASSERT_EQ(place.relayout("run traced -o drift.rlt -- --buoys 300 --steps 2").exitCode, 0);
  const Outcome tiny = place.relayout("analyze drift.rlt --scale 1 --repeat 1");
  ASSERT_EQ(tiny.exitCode, 0) << tiny.err;
  EXPECT_THAT(tiny.out, HasSubstr("leave it"));
  const Outcome large = place.relayout("analyze drift.rlt");
  EXPECT_THAT(large.out, ContainsRegex("extrapolated to [0-9]+x the elements"))
      << "the report says what it assumes";
  EXPECT_THAT(large.out, HasSubstr("Chosen: SoA"));
}

TEST(Replay, SeesMemoryWithoutRecordsOnRequest) {
  const Workplace place;
  const auto accesses = [&](const std::string &option) {
    EXPECT_EQ(place.relayout("instrument " + sample("particlefilter") + option + " -o t").exitCode,
              0);
    EXPECT_EQ(place.relayout("run t -o t.rlt -- --check").exitCode, 0);
    const Outcome analysis = place.relayout("analyze t.rlt --json");
    EXPECT_EQ(analysis.exitCode, 0) << analysis.err;
    EXPECT_EQ(place.relayout("analyze t.rlt --policy nakai").exitCode, 0);
    return nlohmann::json::parse(analysis.out)["result"]["report"]["accessesMapped"].get<double>();
  };
  EXPECT_GT(accesses(" --all-accesses"), 1.5 * accesses(""))
      << "its picture is no array of records";
}

TEST(Replay, DecidesFromATraceThatIsThere) {
  const Workplace place;
  const std::string run = " -- --buoys 200000 --steps 5";
  ASSERT_EQ(place.relayout("instrument " + sample("drift") + " -o traced").exitCode, 0);
  ASSERT_EQ(place.relayout("run traced -o drift.rlt" + run).exitCode, 0);
  const std::string optimize =
      "optimize " + sample("drift") + " --trace-file drift.rlt -o out -q --on cpu";
  const Outcome outcome = place.relayout(optimize + run);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("drift.rlt: 5 launches"));
  EXPECT_THAT(outcome.out, HasSubstr("verified: "));
  EXPECT_FALSE(place.has("out/traced")) << "nothing was traced anew";
  EXPECT_EQ(place.relayout(optimize + " --workers 1" + run).exitCode, 2);
  const Outcome other = place.relayout("optimize " + sample("sph") + " --trace-file drift.rlt -q");
  EXPECT_EQ(other.exitCode, 1);
  EXPECT_THAT(other.err, HasSubstr("[RL-P03]"));
  EXPECT_EQ(place.relayout("optimize " + sample("drift") + " --trace-file no.rlt").exitCode, 1);
}

TEST(Replay, RealArgumentsNeedSomethingToRun) {
  const Workplace place;
  place.write("main.cu", "int main() {}\n");
  place.write("t.rlt", "");
  const Outcome outcome =
      place.relayout("optimize main.cu --trace-file t.rlt --real-arguments '1000'");
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--real-arguments has no effect"));
}

TEST(Replay, WrongOptionsAreToldBeforeAnythingIsTraced) {
  const Workplace place;
  const Outcome nowhere =
      place.relayout("optimize " + sample("drift") + " -o out --machine nowhere -- --buoys 300");
  EXPECT_EQ(nowhere.exitCode, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("[RL-M02]"));
  EXPECT_THAT(nowhere.err, HasSubstr("h100")) << "the machines there are";
  EXPECT_THAT(nowhere.err, Not(HasSubstr("instrument")));
  const Outcome triangle =
      place.relayout("optimize " + sample("drift") + " -o out --layout triangle");
  EXPECT_EQ(triangle.exitCode, 2);
  EXPECT_THAT(triangle.err, HasSubstr("[RL-P04]"));
  EXPECT_FALSE(place.has("out"));
  for (const char *scale : {"0", "-1", "abc", "1e300"}) {
    const Outcome wrong = place.relayout("analyze no.rlt --scale " + std::string(scale));
    EXPECT_EQ(wrong.exitCode, 2);
    EXPECT_THAT(wrong.err, HasSubstr("needs a number above 0 and up to 1e+12, got '"));
  }
  const Outcome beside =
      place.relayout("optimize " + sample("drift") + " --policy nakai --machine h100 -o out");
  EXPECT_EQ(beside.exitCode, 2);
  EXPECT_THAT(beside.err, HasSubstr("[RL-U01]"));
}

TEST(Rewrite, WritesInPlaceWhenAsked) {
  const Workplace place;
  place.write("drift.cu", [] {
    const Workplace other;
    return other.read(sample("drift"));
  }());
  const Outcome outcome = place.relayout("rewrite drift.cu --layout soa --write");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(place.read("drift.cu"), HasSubstr("buoys.current(i)"));
  EXPECT_TRUE(place.has("buoy_layout.h"));
}

} // namespace
} // namespace relayout::test
