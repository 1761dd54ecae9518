// SPDX-License-Identifier: Apache-2.0
// The whole pipeline on the samples, as a user runs it.
#include "managed_program.h"
#include "relayout_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace relayout::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

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

/// A layout that explodes 'pos' is the fastest by far, and cannot be had.
TEST(Optimize, DecidesAgainWithoutExplodingWhatIsUsedWhole) {
  const Workplace place;
  place.write("bodies.cu", R"(#include <cstdlib>
struct Body {
  float pos[9], vel[4], mass, charge;
  int kind, next;
};
__device__ float norm(const float *v) { return v[0] * v[0] + v[1] * v[1]; }
__global__ void scan(const Body *bodies, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = bodies[i].pos[4] + bodies[i].pos[7];
}
__global__ void once(const Body *bodies, float *out) { out[0] = norm(bodies[0].pos); }
int main(int argc, char **) { // with arguments: other runs may be larger
  if (argc > 1)
    return 1;
  const int n = argc * 200000;
  Body *host = (Body *)calloc(n, sizeof(Body)), *bodies;
  float *out;
  for (int i = 0; i < n; ++i)
    host[i].pos[4] = i;
  cudaMalloc(&bodies, n * sizeof(Body));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemcpy(bodies, host, n * sizeof(Body), cudaMemcpyHostToDevice);
  for (int step = 0; step < 20; ++step)
    scan<<<(n + 127) / 128, 128>>>(bodies, out, n);
  once<<<1, 1>>>(bodies, out);
  cudaMemcpy(host, out, n * sizeof(float), cudaMemcpyDeviceToHost);
})");
  const Outcome outcome = place.relayout("optimize bodies.cu -o out");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("[RL-R14]"));
  EXPECT_THAT(outcome.out, HasSubstr("verified: "));
  const auto decision = nlohmann::json::parse(place.read("out/plan.json"))["decisions"][0];
  EXPECT_FALSE(decision["keep"].get<bool>());
  for (const auto &cluster : decision["layout"]["clusters"])
    EXPECT_FALSE(cluster.contains("exploded")) << cluster.dump();
}

/// Lanes that read a field of records of 32 bytes in shared memory meet in four of 32 banks.
TEST(Optimize, LaysRecordsInSharedMemoryOutForBanks) {
  const Workplace place;
  place.write("tiles.cu", R"(#include <cstdio>
struct Particle { float x, y, z, vx, vy, vz, mass, charge; };
__global__ void pull(const float *in, float *out, int rounds) {
  __shared__ Particle tile[256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  tile[t].x = in[i];
  tile[t].y = in[i] + 1;
  tile[t].z = in[i] * 2;
  tile[t].vx = tile[t].vy = tile[t].vz = 0.5f * t;
  tile[t].mass = 1;
  tile[t].charge = -1;
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
    __syncthreads();
    const int k = (t + r * 32) % 256;
    sum += tile[k].x * tile[k].vx + tile[k].y * tile[k].vy;
    sum += tile[k].z * tile[k].vz + tile[k].mass * tile[k].charge;
  }
  out[i] = sum;
}
int main() {
  const int n = 256 * 64;
  static float host[n];
  float *in, *out;
  for (int i = 0; i < n; ++i)
    host[i] = i % 113;
  cudaMalloc(&in, sizeof(host));
  cudaMalloc(&out, sizeof(host));
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  for (int step = 0; step < 10; ++step)
    pull<<<n / 256, 256>>>(in, out, 100);
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  std::printf("%g\n", host[77]);
})");
  const Outcome outcome = place.relayout("optimize tiles.cu --on cpu -o out");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("verified: "));
  EXPECT_THAT(place.read("out/rewritten/tiles.cu"),
              HasSubstr("__shared__ ParticleArray<256> tile;"));
  bool isFound = false;
  const auto plan = nlohmann::json::parse(place.read("out/plan.json"));
  for (const auto &decision : plan["decisions"])
    if (decision["record"] == "Particle") {
      isFound = true;
      EXPECT_FALSE(decision["keep"].get<bool>());
      const auto &layout = decision["layout"];
      EXPECT_TRUE(layout["clusters"].size() == 8 || layout["padBytes"] == 4) << layout.dump();
    }
  EXPECT_TRUE(isFound);
}

TEST(Optimize, EndsWellWithoutAnArray) {
  const Workplace place;
  place.write("main.cu", R"(
struct Lamp { float power; int lit; };
__global__ void light(Lamp *lamp) { lamp->power += lamp->lit; }
int main() {
  Lamp *lamp, host = {1, 2};
  size_t bytes = sizeof(Lamp);
  cudaMalloc(&lamp, bytes);
  cudaMemcpy(lamp, &host, bytes, cudaMemcpyHostToDevice);
  light<<<1, 1>>>(lamp);
  cudaMemcpy(&host, lamp, bytes, cudaMemcpyDeviceToHost);
  return host.power == 3 ? 0 : 1;
}
)");
  const Outcome outcome = place.relayout("optimize main.cu -o out");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("'Lamp' around 'light::lamp' is a single object"));
  EXPECT_THAT(outcome.out, HasSubstr("nothing to rewrite: the program has no array"));
}

/// What differs from run to run elsewhere is the same in runs that are compared.
TEST(Optimize, RunsThatAreComparedDrawTheSameNumbersAndFindZerosInNewMemory) {
  const Workplace place;
  place.write("main.cu", R"(
#include <cstdlib>
#include <ctime>
#include <random>
struct Spark { float x, y, vx, vy; };
__global__ void fly(Spark *sparks, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const long long begin = clock64();
  while (clock64() - begin < 20000)
    ;
  if (i < count / 2) {
    sparks[i].x += sparks[i].vx + begin % 1000;
    sparks[i].y += sparks[i].vy;
  }
}
int main() {
  const int count = 1024;
  srand(clock());
  std::mt19937 random{std::random_device{}()};
  Spark *host = new Spark[count], *sparks;
  for (int i = 0; i < count; ++i)
    host[i] = {float(rand()), float(random()), 1, 2};
  for (int run = 0; run < 2; ++run) {
    cudaMalloc(&sparks, count * sizeof(Spark));
    cudaMemcpy(sparks, host, count / (run + 1) * sizeof(Spark), cudaMemcpyHostToDevice);
    fly<<<count / 128, 128>>>(sparks, count);
    cudaThreadSynchronize();
    cudaMemcpy(host, sparks, count * sizeof(Spark), cudaMemcpyDeviceToHost);
    cudaFree(sparks);
  }
}
)");
  const Outcome outcome = place.relayout("optimize main.cu --on cpu --layout soa -o out");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("verified: 2 copies"));
}

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

TEST(Optimize, ComparesManagedArraysThatFunctionsAndTemplatesAllocate) {
  const Workplace place;
  place.write("main.cu", R"(#include <cstdio>
struct Point { float x, y; double mass; };
static void *managed(size_t bytes) { void *p = nullptr; cudaMallocManaged(&p, bytes); return p; }
template <class T> class Array {
public:
  explicit Array(int n) { cudaMallocManaged((void **)&data, n * sizeof(T)); }
  ~Array() { cudaFree(data); }
  T *data;
};
__global__ void move(Point *p, int *hits, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { p[i].x += p[i].y; hits[i] += i % 3; }
}
int main() {
  const int n = 500;
  Point *first = (Point *)managed(n * sizeof(Point));
  Array<Point> second(n);
  Array<int> hits(n);
  for (int i = 0; i < n; ++i) {
    first[i].x = i; first[i].y = 2; first[i].mass = i;
    second.data[i].x = 1; second.data[i].y = i; second.data[i].mass = 3;
    hits.data[i] = 0;
  }
  move<<<4, 128>>>(first, hits.data, n);
  move<<<4, 128>>>(second.data, hits.data, n);
  cudaDeviceSynchronize();
  std::printf("%g %g %d\n", first[9].x, second.data[9].x, hits.data[8]);
  cudaFree(first);
}
)");
  const Outcome outcome = place.relayout("optimize main.cu --on cpu --layout soa -o out");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("pointMallocManaged("));
  // Of each array at the synchronisation and at its end.
  EXPECT_THAT(outcome.out, HasSubstr("verified: 6 states of arrays that the host shares with "
                                     "kernels, 36,000 bytes, identical"));
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

/// nvcc passes over the word in front of `*` if the type is a name of a struct.
TEST(Optimize, RestrictInFrontOfTheStarIsTaken) {
  const Workplace place;
  place.write("step.cu", R"(struct Cell { float x, y; };
typedef struct Cell State;
__global__ void step(State __restrict__ *s) { s[threadIdx.x].x += 1; }
int main() {
  State host[32] = {}, *s;
  cudaMalloc(&s, sizeof(host));
  cudaMemcpy(s, host, sizeof(host), cudaMemcpyHostToDevice);
  step<<<1, 32>>>(s);
  cudaMemcpy(host, s, sizeof(host), cudaMemcpyDeviceToHost);
}
)");
  const Outcome outcome = place.relayout("optimize step.cu --layout soa -o out");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("identical"));
  EXPECT_THAT(place.read("out/rewritten/step.cu"), HasSubstr("void step(CellView s)"));
}

TEST(Optimize, RunsTemplatesWithFaultsThatNothingUsesWithEveryCompiler) {
  const Workplace place;
  place.write("faults.cu", "template <class T> struct Pair {\n"
                           "  T first;\n"
                           "  T sum() const { return first + this->second(); }\n"
                           "};\n"
                           "struct P { float x, y; };\n"
                           "__global__ void k(P *p) { p[threadIdx.x].x = Pair<float>{1}.first; }\n"
                           "int main() {\n"
                           "  P *p, h[4];\n"
                           "  cudaMalloc(&p, sizeof(h));\n"
                           "  cudaMemset(p, 0, sizeof(h));\n"
                           "  k<<<1, 4>>>(p);\n"
                           "  cudaMemcpy(h, p, sizeof(h), cudaMemcpyDeviceToHost);\n"
                           "}\n");
  for (const std::string compiler : {"g++", "clang++"}) {
    if (place.shell("command -v " + compiler).exitCode != 0)
      continue;
    const Outcome outcome = place.shell("RELAYOUT_HOST_COMPILER=$(command -v " + compiler +
                                        ") relayout optimize faults.cu --on cpu --layout soa");
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("verified: 1 copy"));
  }
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

TEST(EndToEnd, FilesKeepTheirLineEnds) {
  const Workplace place;
  place.write("ends.cu", "struct R { float x, y; };\r\n"
                         "__global__ void k(R *r) { r[threadIdx.x].x += 1; }\r\n"
                         "int main() {\r\n"
                         "  R *r, h[32] = {};\r\n"
                         "  cudaMalloc(&r, sizeof(h));\r\n"
                         "  cudaMemcpy(r, h, sizeof(h), cudaMemcpyHostToDevice);\r\n"
                         "  k<<<1, 32>>>(r);\r\n"
                         "  cudaMemcpy(h, r, sizeof(h), cudaMemcpyDeviceToHost);\r\n"
                         "}\r\n");
  const Outcome outcome = place.relayout("optimize ends.cu --layout soa -o out");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  const std::string text = place.read("out/rewritten/ends.cu");
  EXPECT_THAT(text, HasSubstr("#include \"r_layout.h\"\r\n"));
  EXPECT_EQ(std::ranges::count(text, '\n'), std::ranges::count(text, '\r'));
}

/// Before C++20 GCC asks for `typename` in places where Clang and nvcc do not.
TEST(EndToEnd, GccTakesNamesOfTypesWithoutTheWord) {
  const Workplace place;
  place.write("table.cu",
              "struct Slot { int key, value; };\n"
              "template <class T> struct Table {\n"
              "  using Found = T;\n"
              "  Slot *slots;\n"
              "  __device__ Found find(int i) const;\n"
              "};\n"
              "template <class T> __device__ Table<T>::Found Table<T>::find(int i) const {\n"
              "  return slots[i].value;\n"
              "}\n"
              "__global__ void k(Slot *slots, Table<int> t) {\n"
              "  slots[threadIdx.x].key += t.find(threadIdx.x);\n"
              "}\n"
              "int main() {\n"
              "  Slot *slots, h[32] = {};\n"
              "  cudaMalloc(&slots, sizeof(h));\n"
              "  cudaMemset(slots, 1, sizeof(h));\n"
              "  k<<<1, 32>>>(slots, Table<int>{slots});\n"
              "  cudaMemcpy(h, slots, sizeof(h), cudaMemcpyDeviceToHost);\n"
              "}\n");
  const Outcome outcome =
      place.shell("RELAYOUT_HOST_COMPILER=g++ relayout optimize table.cu -o out");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
}

} // namespace
} // namespace relayout::test
