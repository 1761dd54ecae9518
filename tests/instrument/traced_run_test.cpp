// SPDX-License-Identifier: Apache-2.0
// What a lowered program records, compared with hand-written warps: divergence, calls, loops.
#include "traced_run.h"

#include <gmock/gmock.h>

namespace relayout::instrument {
namespace {

using testing::ElementsAre;

std::string program(const std::string &code, const std::string &arguments = "d") {
  return "#include <cstdio>\nstruct P { float x; int n; float y, z; };\n" + code +
         "int main() { P *d; cudaMalloc(&d, 64 * sizeof(P)); cudaMemset(d, 0, 64 * sizeof(P));\n"
         "  k<<<1, 32>>>(" +
         arguments + "); return cudaDeviceSynchronize(); }\n";
}

TEST(TracedRun, BranchesSplitTheWarpAndJoinAgain) {
  const TracedRun run(program("__global__ void k(P *p) {\n"
                              "  int i = threadIdx.x;\n"
                              "  if (i < 8) /*then*/p[i].x = 1; else /*else*/p[i].y = 2;\n"
                              "  /*join*/p[i].n += 1;\n"
                              "  if (i & 1) return;\n"
                              "  /*even*/p[i].z = 1; }\n"));
  EXPECT_EQ(run.output, "exit 0");
  EXPECT_THAT(run.at("then"), ElementsAre(Seen{0xff, 0}));
  EXPECT_THAT(run.at("else"), ElementsAre(Seen{0xffffff00, 8 * 16 + 8}));
  EXPECT_THAT(run.at("join", 0), ElementsAre(Seen{0xffffffff, 4}));
  EXPECT_THAT(run.at("join", 1), ElementsAre(Seen{0xffffffff, 4}));
  EXPECT_THAT(run.at("even"), ElementsAre(Seen{0x55555555, 12}));
}

TEST(TracedRun, TheProgramsFirstMemoryIsAsNewAsWithoutATrace) {
  const TracedRun run("#include <cstdlib>\n"
                      "struct P { float x; int n; };\n"
                      "__global__ void k(P *p) { p[threadIdx.x].n = 1; }\n"
                      "int main() {\n"
                      "  int written = 0;\n"
                      "  for (std::size_t bytes = 1 << 10; bytes <= 1 << 14; bytes *= 2)\n"
                      "    for (int block = 0; block < 8; ++block) {\n"
                      "      const volatile char *memory = (const char *)std::malloc(bytes);\n"
                      "      for (std::size_t i = 0; i < bytes; ++i) written += memory[i] != 0;\n"
                      "    }\n"
                      "  P *d; cudaMalloc(&d, 32 * sizeof(P)); k<<<1, 32>>>(d);\n"
                      "  return written != 0;\n"
                      "}\n");
  EXPECT_EQ(run.output, "exit 0");
}

TEST(TracedRun, LanesLeaveALoopOneByOneAndReconvergeAfterIt) {
  const TracedRun run(program("__global__ void k(P *p) {\n"
                              "  int i = threadIdx.x;\n"
                              "  for (int j = 0; j < i / 16 + 1; ++j) {\n"
                              "    if (j == 0 && i == 31) continue;\n"
                              "    /*body*/p[j].x += 1;\n"
                              "  }\n"
                              "  /*behind*/p[i].n = 1; }\n"));
  EXPECT_THAT(run.at("body"), ElementsAre(Seen{0x7fffffff, 0}, Seen{0xffff0000, 16}));
  EXPECT_THAT(run.at("behind"), ElementsAre(Seen{0xffffffff, 4}));
}

TEST(TracedRun, CallsFromTwoPlacesStayApart) {
  const TracedRun run(program("__device__ float get(const P *p) { return /*get*/p->x; }\n"
                              "__device__ int count(const P *p) { return /*count*/p->n; }\n"
                              "__device__ float twice(float v, int n) { return v + n; }\n"
                              "__global__ void k(P *p) {\n"
                              "  int i = threadIdx.x;\n"
                              "  float v = i < 4 ? get(p) : get(p + 1);\n"
                              "  /*end*/p[i].y = v + twice(get(p + i), count(p + i)); }\n"));
  EXPECT_THAT(run.at("get"), ElementsAre(Seen{0xf, 0}, Seen{0xfffffff0, 16}, Seen{0xffffffff, 0}));
  EXPECT_THAT(run.at("count"), ElementsAre(Seen{0xffffffff, 4}));
  EXPECT_THAT(run.at("end"), ElementsAre(Seen{0xffffffff, 8}));
}

TEST(TracedRun, SharedAndLocalRecordsAreNotCounted) {
  const TracedRun run(program("__device__ void set(P &q) { /*set*/q.x = 1; }\n"
                              "__global__ void k(P *p) {\n"
                              "  __shared__ P s[32]; P local; int i = threadIdx.x;\n"
                              "  set(s[i]); set(local); __syncthreads();\n"
                              "  if (i == 3) set(p[i]); }\n"));
  EXPECT_THAT(run.at("set"), ElementsAre(Seen{0x8, 48}));
}

TEST(TracedRun, WholeRecordsMoveTheirSize) {
  const TracedRun run(program("__global__ void k(P *p) {\n"
                              "  P q = /*load*/p[threadIdx.x + 1];\n"
                              "  /*store*/p[threadIdx.x] = q; }\n"));
  EXPECT_THAT(run.at("load"), ElementsAre(Seen{0xffffffff, 16}));
  EXPECT_THAT(run.at("store"), ElementsAre(Seen{0xffffffff, 0}));
  for (const trace::WarpAccess &access : run.accesses)
    EXPECT_EQ(access.bytes, 16u);
}

TEST(TracedRun, WhatNewMakesInAnElementsPlaceIsAStore) {
  const TracedRun run(program("#include <new>\n"
                              "__global__ void k(P *p) {\n"
                              "  new (&/*store*/p[threadIdx.x]) P{};\n"
                              "  P *own = p + threadIdx.x; new (own) P; /*x*/own->x = 1; }\n"));
  EXPECT_THAT(run.at("store"), ElementsAre(Seen{0xffffffff, 0}));
  EXPECT_THAT(run.accesses, testing::SizeIs(2));
}

TEST(TracedRun, BitFieldsAreWhereTheirStorageUnitsAre) {
  const TracedRun run(
      "struct Base { double x; unsigned short tag : 3; };\n"
      "struct P : Base { int n; unsigned low : 8, high : 30, : 2; float y;\n"
      "  __device__ void own() { /*own*/high = 2; } };\n"
      "__device__ P *at(P *p, int i) { return p + i; }\n"
      "__global__ void k(P *__restrict__ p) {\n"
      "  int i = threadIdx.x;\n"
      "  unsigned n = /*named*/p[i + 1].low + /*pointed*/at(p, i)->high;\n"
      "  /*base*/(*p).tag = n;\n"
      "  p[2].own(); }\n"
      "int main() { P *d; cudaMalloc(&d, 64 * sizeof(P)); cudaMemset(d, 0, 64 * sizeof(P));\n"
      "  k<<<1, 32>>>(d); return cudaDeviceSynchronize() + (sizeof(P) != 32); }\n");
  EXPECT_EQ(run.output, "exit 0");
  EXPECT_THAT(run.at("named"), ElementsAre(Seen{0xffffffff, 32 + 20}));
  EXPECT_THAT(run.at("pointed"), ElementsAre(Seen{0xffffffff, 24}));
  EXPECT_THAT(run.at("base", 0), ElementsAre(Seen{0xffffffff, 8}));
  EXPECT_THAT(run.at("base", 1), ElementsAre(Seen{0xffffffff, 8}));
  EXPECT_THAT(run.at("own", 1), ElementsAre(Seen{0xffffffff, 64 + 24}));
}

TEST(TracedRun, MembersMayBeRestrictedPointers) {
  const TracedRun run("struct P { float x, y; };\n"
                      "template <class T> struct View {\n"
                      "  T *__restrict__ data; int pitch;\n"
                      "  __device__ T &at(int i) { return data[i * pitch]; } };\n"
                      "__global__ void k(View<P> v) { /*set*/v.at(threadIdx.x).y = 1; }\n"
                      "int main() { P *p; cudaMalloc(&p, 64 * sizeof(P)); k<<<1, 32>>>({p, 2});\n"
                      "  return cudaDeviceSynchronize(); }\n");
  EXPECT_THAT(run.at("set"), ElementsAre(Seen{0xffffffff, 4}));
}

// As GCC takes it in C++17, too.
TEST(TracedRun, ParametersMayBeAuto) {
  const TracedRun run(program("__host__ __device__ float twice(const auto &v) { return 2 * v; }\n"
                              "__global__ void k(P *p) {\n"
                              "  /*set*/p[threadIdx.x].x = twice(3.0f); }\n"));
  EXPECT_THAT(run.at("set"), ElementsAre(Seen{0xffffffff, 0}));
}

// What a grid launches runs when it has ended, in the order of its blocks.
TEST(TracedRun, KernelsMayLaunchKernels) {
  const TracedRun run("struct P { float x, y; };\n"
                      "__global__ void half(P *p, int depth) { /*set*/p[threadIdx.x].y = depth; }\n"
                      "__global__ void split(P *p, int n, int depth) {\n"
                      "  if (threadIdx.x != 0 || depth == 0) return;\n"
                      "  half<<<1, n>>>(p + blockIdx.x * n, depth);\n"
                      "  split<<<2, 32>>>(p + blockIdx.x * n, n / 2, depth - 1); }\n"
                      "int main() { P *p; cudaMalloc(&p, 64 * sizeof(P));\n"
                      "  split<<<2, 32>>>(p, 16, 2); return cudaDeviceSynchronize(); }\n");
  EXPECT_THAT(run.at("set"), ElementsAre(Seen{0xffff, 4}, Seen{0xff, 4}, Seen{0xff, 68},
                                         Seen{0xffff, 132}, Seen{0xff, 132}, Seen{0xff, 196}));
}

TEST(TracedRun, KernelsMayHaveNoParameters) {
  const TracedRun run("struct P { float x, y; };\n"
                      "struct World { P *points; int count; };\n"
                      "__constant__ World world;\n"
                      "__global__ void k() { if (threadIdx.x < world.count)\n"
                      "  /*set*/world.points[threadIdx.x].y = 1; }\n"
                      "int main() { World w; w.count = 16; cudaMalloc(&w.points, 64 * sizeof(P));\n"
                      "  cudaMemcpyToSymbol(world, &w, sizeof w); k<<<1, 32>>>();\n"
                      "  return cudaDeviceSynchronize(); }\n");
  EXPECT_THAT(run.at("set"), ElementsAre(Seen{0xffff, 4}));
}

// An array that the program declares in device memory is one of the arrays of the trace.
TEST(TracedRun, StaticArraysAreAllocatedWhenTheProgramStarts) {
  const TracedRun run("struct P { float x, y; };\n"
                      "extern __device__ P points[64];\n"
                      "__device__ P points[64] = {}, others[8];\n"
                      "__device__ float sum(const P *p) { return /*sum*/p->x; }\n"
                      "__global__ void k() { /*set*/points[threadIdx.x + 2].y = 1;\n"
                      "  others[threadIdx.x % 8].x = sum(&points[threadIdx.x]); }\n"
                      "int main() { P host[64] = {}; host[5].x = 1;\n"
                      "  cudaMemcpyToSymbol(points, host, sizeof points); k<<<1, 32>>>();\n"
                      "  cudaMemcpyFromSymbol(host, points, 8 * sizeof(P), 16 * sizeof(P));\n"
                      "  return host[0].y != 1 || cudaDeviceSynchronize(); }\n");
  EXPECT_THAT(run.at("set"), ElementsAre(Seen{0xffffffff, 20}));
  EXPECT_THAT(run.at("sum"), ElementsAre(Seen{0xffffffff, 0}));
  ASSERT_EQ(run.trace.allocations.size(), 2u);
  EXPECT_EQ(run.trace.allocations[0].bytes, 64 * 8u);
  EXPECT_EQ(run.trace.allocations[1].bytes, 8 * 8u);
  ASSERT_EQ(run.trace.sites.groups.size(), 2u);
  EXPECT_NE(run.trace.allocations[0].group, run.trace.allocations[1].group);
  EXPECT_EQ(run.trace.transfers.size(), 2u);
}

// In the pattern of a template, what parentheses hold has no type yet.
TEST(TracedRun, ConstructorsOfTemplatesInitialiseInParentheses) {
  const TracedRun run("struct P { float x, y; };\n"
                      "template <class T> struct Buffer {\n"
                      "  T *p; T n;\n"
                      "  explicit Buffer(int count) : p(nullptr), n(count) {} };\n"
                      "__global__ void k(P *p) { /*set*/p[threadIdx.x].y = 1; }\n"
                      "int main() { P *p; cudaMalloc(&p, 64 * sizeof(P)); k<<<1, 32>>>(p);\n"
                      "  return cudaDeviceSynchronize(); }\n");
  EXPECT_THAT(run.at("set"), ElementsAre(Seen{0xffffffff, 4}));
}

TEST(TracedRun, EveryExecutionIsCounted) {
  const TracedRun run(program("__global__ void k(P *p) {\n"
                              "  for (int j = 0; j < 10; ++j) p[threadIdx.x].x += j; }\n"));
  ASSERT_EQ(run.trace.counts.size(), 2u);
  for (const trace::SiteCount &count : run.trace.counts) {
    EXPECT_EQ(count.warpAccesses, 10u);
    EXPECT_EQ(count.laneAccesses, 320u);
    EXPECT_EQ(count.recorded + count.dropped, count.warpAccesses);
  }
}

/// "name = value", in the trace's order.
std::vector<std::string> extentsOf(const trace::Allocation &allocation) {
  std::vector<std::string> extents;
  for (const trace::Extent &extent : allocation.extents)
    extents.push_back(extent.text + " = " + std::to_string(extent.value));
  return extents;
}

// What reaches a factor of the array's own subscripts is in front, the nearest first.
TEST(TracedRun, ExtentsThatSubscriptsMultiplyByComeFirst) {
  const TracedRun run(
      "struct P { float x, y; };\n"
      "struct Q { float x, y, z; };\n"
      "struct Size { int rows, columns; };\n"
      "__device__ int indexOf(int r, int i, int width) { return r * width + i; }\n"
      "__global__ void k(P *p, Q *q, int rows, int width, int depth) {\n"
      "  for (int i = 0; i < width && i < rows * depth; ++i)\n"
      "    { p[indexOf(threadIdx.x, i, width)].x = 1; q[threadIdx.x * depth].x = 2; } }\n"
      "int main(int argc, char **argv) {\n"
      "  const Size size = {3 + argc, 3 + argc};\n"
      "  int depth = 3 + argc, pitch = size.columns;\n"
      "  P *p; cudaMalloc(&p, size.rows * size.columns * sizeof(P));\n"
      "  Q *q; cudaMalloc(&q, 16 * depth * sizeof(Q));\n"
      "  k<<<1, 2>>>(p, q, size.rows, pitch, depth); return cudaDeviceSynchronize(); }\n");
  ASSERT_EQ(run.trace.allocations.size(), 2u);
  EXPECT_THAT(extentsOf(run.trace.allocations[0]),
              testing::ElementsAre("pitch = 4", "size.columns = 4", "size.rows = 4", "depth = 4"));
  EXPECT_THAT(extentsOf(run.trace.allocations[1]), testing::ElementsAre("depth = 4", "pitch = 4"));
}

TEST(TracedRun, ConstantsThatAParameterIsGivenAloneAreExtents) {
  const TracedRun run("#define COLUMNS 6\n"
                      "struct P { float x, y; };\n"
                      "const int kPlanes = 10;\n"
                      "__global__ void k(P *p, int n, int m, int some) {\n"
                      "  p[threadIdx.x * n].x = p[threadIdx.x * m].y + p[threadIdx.x * some].y; }\n"
                      "void step(P *p, int pitch) { k<<<1, 2>>>(p, pitch, kPlanes, 7); }\n"
                      "int main(int argc, char **argv) {\n"
                      "  P *d; cudaMalloc(&d, 60 * sizeof(P));\n"
                      "  step(d, COLUMNS); k<<<1, 2>>>(d, 6, 10, 7 * argc);\n"
                      "  return cudaDeviceSynchronize(); }\n");
  ASSERT_EQ(run.trace.allocations.size(), 1u);
  EXPECT_THAT(extentsOf(run.trace.allocations[0]),
              testing::UnorderedElementsAre("6 = 6", "10 = 10"));
}

TEST(TracedRun, AnExtentIsWhatMayReachASubscript) {
  const TracedRun run("struct P { float x, y; };\n"
                      "int rows = 4;\n"
                      "int unused = 5;\n"
                      "__global__ void k(P *p, int n) { p[threadIdx.x * n].x = 1; }\n"
                      "void step(P *p, int pitch) { k<<<1, 2>>>(p, pitch); }\n"
                      "int main(int argc, char **argv) {\n"
                      "  int columns = 6, seed = 8, width = 3, repeat = argc;\n"
                      "  for (int i = 0; i < seed; ++i) ++repeat;\n"
                      "  P *d; cudaMalloc(&d, rows * columns * sizeof(P));\n"
                      "  step(d, width);\n"
                      "  k<<<rows, 1>>>(d, 1); return cudaDeviceSynchronize(); }\n");
  ASSERT_EQ(run.trace.allocations.size(), 1u);
  EXPECT_THAT(extentsOf(run.trace.allocations[0]),
              testing::UnorderedElementsAre("rows = 4", "columns = 6", "width = 3"));
}

/// With the digits that they are extents of.
std::vector<std::string> digitsOf(const trace::Allocation &allocation) {
  std::vector<std::string> digits;
  for (const trace::Extent &extent : allocation.extents)
    digits.push_back(extent.text + " of " + std::to_string(extent.digit));
  return digits;
}

TEST(TracedRun, CallersOfFunctionsThatAllocateNameExtents) {
  const TracedRun run(R"(
struct R { int a, b; };
__global__ void k(R *u, int rows, int columns, int n) {
  const int i = threadIdx.x;
  if (i < n)
    u[((i - i) * rows + i) * columns + i].a = 1;
}
R *inner(size_t n) {
  R *p;
  cudaMalloc(&p, n * sizeof(R));
  return p;
}
R *outer(size_t count) { return inner(count); }
struct Buffer {
  R *p;
  explicit Buffer(int n) { cudaMalloc(&p, n * sizeof(R)); }
};
int main() {
  int nx = 2, ny = 3, nz = 3;
  R *u = outer(nx * ny * nz);
  Buffer buffer(nx * ny * nz);
  k<<<1, 4>>>(u, ny, nz, 0);
  k<<<1, 4>>>(buffer.p, ny, nz, 0);
})");
  ASSERT_EQ(run.trace.allocations.size(), 2u);
  // `n` of the functions themselves leads to no factor.
  EXPECT_THAT(digitsOf(run.trace.allocations[0]), ElementsAre("ny of 2", "nz of 1", "n of 0"));
  EXPECT_THAT(digitsOf(run.trace.allocations[1]), ElementsAre("ny of 2", "nz of 1", "n of 0"));
}

TEST(TracedRun, SubscriptsSayWhichDigitAnExtentIsOf) {
  const TracedRun run(R"(
struct R { int a, b; };
struct Grid { int nx, ny, nz; };
__device__ int place(int x, int y, int z, Grid g) { return z * g.ny * g.nx + y * g.nx + x; }
__global__ void k(R *u, R *v, Grid g, int pitch, int rows) {
  const int x = threadIdx.x;
  for (int z = 0; z < 0; ++z) {
    u[place(x, x + 1, z, g)].a = 1;
    const int row = z * rows + x;
    v[3 * (row * (pitch + 2) + z)].a = 1;
  }
}
int main() {
  Grid grid;
  grid.nx = grid.ny = grid.nz = 4;
  int pitch = 2, rows = 4;
  R *u, *v;
  cudaMalloc(&u, grid.nx * grid.ny * grid.nz * sizeof(R));
  cudaMalloc(&v, rows * (pitch + 2) * 3 * sizeof(R));
  k<<<1, 1>>>(u, v, grid, pitch, rows);
})");
  ASSERT_EQ(run.trace.allocations.size(), 2u);
  EXPECT_THAT(digitsOf(run.trace.allocations[0]),
              testing::IsSupersetOf({"grid.nx of 1", "grid.ny of 2", "grid.nz of 0"}));
  EXPECT_THAT(digitsOf(run.trace.allocations[1]),
              testing::IsSupersetOf({"(pitch + 2) of 1", "rows of 2"}));
}

TEST(TracedRun, ALambdaSeesTheExtentsThatItCaptures) {
  const TracedRun run(
      "struct P { float x, y; };\n"
      "__global__ void k(P *p, int n) { p[threadIdx.x * n].x = 1; }\n"
      "void step(P *p, int rows, int pitch) {\n"
      "  int width = 5;\n"
      "  const auto make = [rows](P *&p, int n) { cudaMalloc(&p, rows * n * sizeof(P)); };\n"
      "  make(p, 4); k<<<1, 2>>>(p, pitch); k<<<width, rows>>>(p, 1); }\n"
      "int main() { P *p; step(p, 6, 3); return cudaDeviceSynchronize(); }\n");
  ASSERT_EQ(run.trace.allocations.size(), 1u);
  EXPECT_THAT(extentsOf(run.trace.allocations[0]),
              testing::UnorderedElementsAre("3 = 3", "rows = 6", "n = 4"));
}

TEST(TracedRun, SeesWhatKernelsReachOfPageLockedMemory) {
  const TracedRun run(R"(
struct P { float x, y; };
__global__ void k(P *p, float *sum) { p[threadIdx.x].x += 1; if (threadIdx.x == 0) *sum = p[3].x; }
int main() {
  P *host, *mapped, *device, *staging;
  float *sum, sums[1];
  cudaHostAlloc(&host, 64 * sizeof(P), cudaHostAllocMapped);
  cudaHostGetDevicePointer((void **)&mapped, host, 0);
  cudaMallocHost(&staging, 8 * sizeof(P));
  cudaMalloc(&device, 8 * sizeof(P));
  cudaMalloc(&sum, sizeof(float));
  cudaMemcpy(device, staging, 8 * sizeof(P), cudaMemcpyHostToDevice);
  host[3].x = 4;
  k<<<1, 64>>>(mapped, sum);
  cudaMemcpy(sums, sum, sizeof(float), cudaMemcpyDefault);
  if (host[3].x != 5 || sums[0] != 5 || cudaFree(host) == cudaSuccess) return 1;
  return cudaFreeHost(host) | cudaFreeHost(staging);
}
)");
  // The host's own staging memory is none of the run's arrays.
  ASSERT_EQ(run.trace.allocations.size(), 3u);
  EXPECT_EQ(run.trace.allocations[0].bytes, 64u * 8);
  EXPECT_FALSE(run.trace.allocations[0].isManaged);
  EXPECT_EQ(run.trace.copies.size(), 1u);
  std::uint64_t recorded = 0;
  for (const trace::SiteCount &count : run.trace.counts)
    recorded += count.recorded;
  EXPECT_GE(recorded, 4u);
}

TEST(TracedRun, ATemplateThatAllocatesSaysForWhichOfItsArrays) {
  const TracedRun run(R"(
struct Single { float x, y; };
struct Double { double x, y; };
template <class T> __global__ void twice(T *p) { p[threadIdx.x].x += p[threadIdx.x].x; }
template <class T> void run() {
  T *p;
  cudaMalloc(reinterpret_cast<void **>(&p), 64 * sizeof(T));
  twice<<<1, 64>>>(p);
  cudaFree(p);
}
int main() {
  run<Single>();
  run<Double>();
  run<Single>();
}
)");
  ASSERT_EQ(run.trace.allocations.size(), 3u);
  const auto typeOf = [&](const trace::Allocation &allocation) {
    const trace::SiteTable &table = run.trace.sites;
    return allocation.group >= table.groups.size()
               ? std::string("unknown")
               : table.records[table.groups[allocation.group].record].name;
  };
  EXPECT_EQ(typeOf(run.trace.allocations[0]), "Single");
  EXPECT_EQ(typeOf(run.trace.allocations[1]), "Double");
  EXPECT_EQ(typeOf(run.trace.allocations[2]), "Single");
  // What was an array of one type is none of another later.
  EXPECT_EQ(run.trace.allocations[0].address, run.trace.allocations[2].address);
  EXPECT_GE(run.trace.allocations[1].address, run.trace.allocations[0].address + 512);
}

TEST(TracedRun, ConstexprFunctionsThatNoConstantNeedsAreTraced) {
  const std::string code =
      "struct Grid { int w; constexpr explicit Grid(int side = 4) : w(side) {}\n"
      "  constexpr int at(const P &p) const { return p.n + w; } };\n"
      "constexpr int twice(int n) { return 2 * n; }\n"
      "constexpr __host__ __device__ inline float first(const P *p, int i) { return "
      "/*first*/p[i].x; }\n"
      "template <class T> __device__ constexpr auto second(const T *p, int i) {\n"
      "  return first(p, i) + /*second*/p[i].y; }\n"
      "__host__ __device__ constexpr float third(const P &p) { return /*third*/p.z; }\n"
      "__host__ __device__ constexpr float fourth(const P &p) { return /*fourth*/p.z; }\n"
      "static_assert(third(P{1, 2, 3, 4}) == 4, \"\");\n"
      "constexpr float kFourth = fourth(P{1, 2, 3, 4});\n"
      "struct Square : Grid { using Grid::Grid; };\n"
      "constexpr Grid kGrid{twice(2)};\nconstexpr Square kSquare(3);\n"
      "__global__ void k(P *p) {\n"
      "  __shared__ float kept[twice(32)];\n"
      "  int i = threadIdx.x;\n"
      "  kept[i] = second(p, i) + third(p[i]) + fourth(p[i]) + kFourth + kGrid.w + kSquare.w;\n"
      "  p[i].x = kept[i]; }\n";
  const TracedRun run(program(code));
  EXPECT_THAT(run.at("first"), ElementsAre(Seen{0xffffffff, 0}));
  EXPECT_THAT(run.at("second"), ElementsAre(Seen{0xffffffff, 8}));
  EXPECT_THAT(run.at("third"), ElementsAre(Seen{0xffffffff, 12}));
  EXPECT_TRUE(run.at("fourth").empty());
  for (const std::string &compiler : hostCompilers())
    EXPECT_EQ(buildLowered(run.program, Probes::Trace, compiler), "");
}

} // namespace
} // namespace relayout::instrument
