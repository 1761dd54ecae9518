// SPDX-License-Identifier: Apache-2.0
// What policy replay decides of a whole program, and what it is asked for.
#include "relayout_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

namespace relayout::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

// Its accesses are in methods, which do not tell which array they serve.
TEST(Replay, DecidesArraysOfAClassWithAccessorsOneByOne) {
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
int main(int argc, char **) { // with arguments: other runs may be larger
  if (argc > 1)
    return 1;
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

TEST(Replay, ARunOfAnotherSizeShowsHowTheProgramGrows) {
  const Workplace place;
  const std::string command = "optimize " + sample("drift") + " --on cpu -o out";
  const std::string small = " -- --buoys 3000 --steps 2";
  const Outcome drift = place.relayout(command + " --scale-with '--buoys 24000 --steps 2'" + small);
  ASSERT_EQ(drift.exitCode, 0) << drift.err;
  EXPECT_THAT(drift.out, HasSubstr("for the same size, from the run"));
  EXPECT_THAT(drift.out, HasSubstr("--buoys 24000"));
  EXPECT_THAT(drift.out, HasSubstr("Chosen: SoA"));
  EXPECT_THAT(drift.out, HasSubstr("verified: "));
  const Outcome analysis =
      place.relayout("analyze out/trace.rlt --scale-with out/traced/scale-with.rlt");
  ASSERT_EQ(analysis.exitCode, 0) << analysis.err;
  EXPECT_THAT(analysis.out, HasSubstr("Chosen: SoA"));
  EXPECT_THAT(analysis.out, HasSubstr("for the same size, from the run"));
  const Outcome nakai =
      place.relayout("analyze out/trace.rlt --policy nakai --scale-with out/traced/scale-with.rlt");
  EXPECT_EQ(nakai.exitCode, 2);
  EXPECT_THAT(nakai.err, HasSubstr("--scale-with"));
  const Outcome failing = place.relayout(command + " --scale-with '--steps no'" + small);
  EXPECT_NE(failing.exitCode, 0);
  EXPECT_EQ(place.relayout(command + " --scale-with 1 --real-arguments 1" + small).exitCode, 2);
}

/// Stands for nvcc: says of every kernel of the unit how many registers it has, more with views.
constexpr const char *kNvccThatTells = R"(#!/bin/sh
for word; do [ "$word" = --version ] && { echo "release 13.0, V13.0.88"; exit 0; }; done
while [ $# -gt 0 ]; do
  case $1 in
    -o) shift; out=$1 ;;
    *.cu) source=$1 ;;
  esac
  shift
done
registers=$(( 40 + $(grep -c View "$source" > /dev/null && echo 8 || echo 0) ))
for kernel in computeDensity computeForce integrate addTerm; do
  echo "ptxas info    : Compiling entry function '$kernel' for 'sm_90'"
  echo "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"
  echo "ptxas info    : Used $registers registers, used 0 barriers"
done
touch "$out"
)";

TEST(Replay, FinalistsAreCompiledWhereNvccIsInstalled) {
  const Workplace place;
  place.writeScript("bin/nvcc", kNvccThatTells);
  const std::string command =
      "PATH=$PWD/bin:$PATH relayout optimize " + sample("sph") + " --on cpu --machine h200 -o out ";
  const Outcome compiled = place.shell(command + "-- --check");
  ASSERT_EQ(compiled.exitCode, 0) << compiled.err;
  EXPECT_THAT(compiled.out, ContainsRegex("compiled by nvcc: registers of a thread as original"));
  const std::string doubt = "estimated-registers";
  EXPECT_THAT(place.read("out/report.json"), Not(HasSubstr(doubt)));
  EXPECT_THAT(compiled.out, ContainsRegex("verified: |nothing to rewrite"));
  const auto report = nlohmann::json::parse(place.read("out/report.json"));
  EXPECT_EQ(report["compiled"][0]["version"], "original");
  EXPECT_EQ(report["compiled"][1]["kernels"]["computeForce"]["registers"], 48);
  EXPECT_EQ(report["compiled"][0]["kernels"]["computeForce"]["registers"], 40);
  const Outcome estimated = place.shell(command + "--no-compile -- --check");
  ASSERT_EQ(estimated.exitCode, 0) << estimated.err;
  EXPECT_THAT(estimated.out, Not(HasSubstr("compiled by nvcc")));
  EXPECT_THAT(place.read("out/report.json"), HasSubstr(doubt));
}

/// Standard layouts are for the groups that kernels reach; stencil has others.
TEST(Replay, FinalistsMayLeaveGroupsOut) {
  const Workplace place;
  place.writeScript("bin/nvcc", kNvccThatTells);
  const Outcome outcome = place.shell("PATH=$PWD/bin:$PATH relayout optimize " + sample("stencil") +
                                      " --on cpu --machine h200 -o out -- --check");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("compiled by nvcc"));
}

TEST(Replay, FinalistsThatNvccRefusesAreEstimated) {
  const Workplace place;
  place.writeScript("bin/nvcc", "#!/bin/sh\necho 'no licence'; exit 1\n");
  const Outcome outcome = place.shell("PATH=$PWD/bin:$PATH relayout optimize " + sample("sph") +
                                      " --on cpu --machine h200 -o out -- --check");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(place.read("out/report.json"), HasSubstr("estimated-registers"));
}

TEST(Replay, SeesMemoryWithoutRecordsOnRequest) {
  const Workplace place;
  place.write("main.cu", R"(
struct Cell { float mass, heat; };
__global__ void warm(Cell *cells, const void *table) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float *rows = (const float *)table;
  const int *marks = (const int *)table;
  cells[i].heat += rows[i] + rows[i + 1] + marks[i + 2];
}
int main() {
  const int count = 1024;
  Cell *cells;
  void *table;
  cudaMalloc(&cells, count * sizeof(Cell));
  cudaMalloc(&table, (count + 2) * sizeof(float));
  warm<<<4, 256>>>(cells, table);
}
)");
  const auto accesses = [&](const std::string &option) {
    EXPECT_EQ(place.relayout("instrument main.cu" + option + " -o t").exitCode, 0);
    EXPECT_EQ(place.relayout("run t -o t.rlt").exitCode, 0);
    const Outcome analysis = place.relayout("analyze t.rlt --json");
    EXPECT_EQ(analysis.exitCode, 0) << analysis.err;
    EXPECT_EQ(place.relayout("analyze t.rlt --policy nakai").exitCode, 0);
    return nlohmann::json::parse(analysis.out)["result"]["report"]["accessesMapped"].get<double>();
  };
  EXPECT_EQ(accesses(" --all-accesses"), 2.5 * accesses(""))
      << "the table has elements of two types";
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

} // namespace
} // namespace relayout::test
