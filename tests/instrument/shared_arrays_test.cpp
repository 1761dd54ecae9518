// SPDX-License-Identifier: Apache-2.0
// Arrays of records in shared memory: which have a layout to choose, which stay as they are, and
// what a trace has of them.
#include "traced_run.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace relayout::instrument {
namespace {

using testing::ElementsAre;

const std::string kRecords = "struct V { float u, w; };\n"
                             "struct P { float x; int n; float a[2]; V v; };\n"
                             "__device__ float first(const P *all) { return all->x; }\n"
                             "__device__ float of(const P &one) { return one.x; }\n"
                             "__device__ float sum(P one) { return one.x + one.n; }\n"
                             "__device__ void set(float &x) { x = 1; }\n";

std::vector<std::string> sharedGroups(const std::string &text) {
  const ProgramText program(text);
  std::vector<std::string> names;
  const ProgramModel model = program.model();
  for (const trace::Group &group : model.sites.groups)
    if (group.isShared)
      names.insert(names.end(), group.arrays.begin(), group.arrays.end());
  return names;
}

std::string inKernel(const std::string &body) {
  return kRecords + "__global__ void k(P *p, float *f) {\n  const int i = threadIdx.x;\n" + body +
         "\n  p[i].x = f[i]; }\n";
}

TEST(SharedArrays, AccessesToSingleElementsMakeAGroup) {
  for (const char *body :
       {"__shared__ P t[32]; t[i].x = f[i];", "__shared__ P t[32]; t[i] = p[i]; p[0] = t[31 - i];",
        "__shared__ P t[32]; P q = t[i]; f[i] = q.x + sum(t[0]);",
        "__shared__ P t[32]; (t)[i].n += 2; ++t[i].n; f[0] = (t[i]).a[1];",
        "__shared__ P t[32]; t[i].v.u = 1; V v = t[i].v; t[i].v = v; f[0] = v.u;",
        "const int size = 16; __shared__ P t[size * 2]; t[t[0].n].x = 1;",
        "static __shared__ P t[32]; t[i].x = 1;",
        "if (i < 4) { __shared__ struct P t[8]; t[i].x = t[i + 1].x; }"})
    EXPECT_THAT(sharedGroups(inKernel(body)), ElementsAre("k::t")) << body;
}

TEST(SharedArrays, AnyOtherUseLeavesTheRecords) {
  for (const char *body :
       {"__shared__ P t[32]; t[i].x = first(t);",
        "__shared__ P t[32]; P *q = t; q->x = 1;",
        "__shared__ P t[32]; P *q = &t[i]; q->x = 1;",
        "__shared__ P t[32]; t->x = 1;",
        "__shared__ P t[32]; (*t).x = 1;",
        "__shared__ P t[32]; (t + i)->x = 1;",
        "__shared__ P t[32]; i[t].x = 1;",
        "__shared__ P t[32]; t[i].x = sizeof(t);",
        "__shared__ P t[32]; t[i].x = sizeof(decltype(t));",
        "__shared__ P t[32]; t[i].x = of(t[0]);",
        "__shared__ P t[32]; set(t[i].x);",
        "__shared__ P t[32]; float &x = t[i].x; x = 1;",
        "__shared__ P t[32]; P &q = t[i]; q.x = 1;",
        "__shared__ P t[32]; const P &q = t[i]; f[i] = q.x;",
        "__shared__ P t[32]; atomicAdd(&t[i].n, 1);",
        "__shared__ P t[32]; float *x = t[i].a; x[0] = 1;",
        "__shared__ P t[32]; for (const P &q : t) f[i] += q.x;",
        "__shared__ P t[32]; t[i].x = 1; auto get = [&] { return t[0].x; }; f[i] = get();",
        "__shared__ P t[32]; t[i].x = 1;\n#if 0\n  t[i].y = 2;\n#endif\n",
        "__shared__ P t[32]; t[i].x = 1;\n#ifdef __CUDA_ARCH__\n  t[0].n = 2;\n#endif\n",
        "__shared__ P t[32]; t[i].x = 1; asm(\"\" : : \"l\"(t));",
        "__shared__ P t[32];\n#define AT t[i]\n  AT.x = 1;",
        "__shared__ P t[32];\n#define X(e) e.x\n  X(t[i]) = 1;",
        "\n#define TILE(name) __shared__ P name[32];\n  TILE(t) t[i].x = 1;",
        "__shared__ P t[2][16]; t[0][i].x = 1;",
        "__shared__ P t[32], u[32]; t[i].x = u[i].x = 1;",
        "__shared__ P t; t.x = 1;",
        "extern __shared__ P t[]; t[i].x = 1;",

        "__shared__ volatile P t[32]; t[i].x = 1;",
        "__shared__ __align__(16) P t[32]; t[i].x = 1;",
        "__shared__ float4 t[32]; t[i].x = 1;",
        "__shared__ V *t[32]; t[i]->u = 1;",
        "struct Own { float x, y; }; __shared__ Own t[32]; t[i].x = 1;"})
    EXPECT_THAT(sharedGroups(inKernel(body)), ElementsAre()) << body;
}

TEST(SharedArrays, RecordsAreStructsOfDataAlone) {
  for (const char *record :
       {"struct R { float x; };", "struct R { float x; int n : 4; };",
        "struct R { union { float x; int n; }; float y; };", "union R { float x; int n; };",
        "struct R { volatile float x; float y; };",
        "struct B { float x; }; struct R : B { int n; };", "class R { float y; public: float x; };",
        "struct R { float x, y; __device__ R &operator=(const R &r) { x = r.x; return *this; } };",
        "template <class T> struct S { T x, y; }; using R = S<float>;"})
    EXPECT_THAT(sharedGroups(std::string(record) +
                             "\n__global__ void k(R *p) { __shared__ R t[32]; "
                             "t[threadIdx.x].x = 1; p[0].x = t[0].x; }\n"),
                ElementsAre())
        << record;
}

TEST(SharedArrays, AllInstancesOfATemplateAreOneGroup) {
  const std::string head = kRecords + "template <int N> __global__ void k(P *p) {\n"
                                      "  __shared__ P t[N]; t[threadIdx.x].x = 1;\n";
  const std::string calls =
      "  p[0].x = t[0].x; }\n"
      "int main() { k<16><<<1, 16>>>(nullptr); k<32><<<1, 32>>>(nullptr); }\n";
  EXPECT_THAT(sharedGroups(head + calls), ElementsAre("k::t"));
  EXPECT_THAT(sharedGroups(head + "  if constexpr (N > 16) p[1].x = first(t);\n" + calls),
              ElementsAre());
  EXPECT_THAT(sharedGroups(head + "  if constexpr (N > 99) t[0].n = 1;\n" + calls), ElementsAre())
      << "no instance has it";
  EXPECT_THAT(sharedGroups(kRecords + "template <class T> __global__ void k(T *p) {\n"
                                      "  __shared__ P t[32]; t[threadIdx.x].x = p[0].x; }\n"
                                      "int main() { k<P><<<1, 32>>>(nullptr); }\n"),
              ElementsAre());
}

TEST(SharedArrays, KernelsKnowTheSharedMemoryOfWhatTheyCall) {
  const ProgramText program(
      kRecords + "__device__ float f() { __shared__ float row[64]; row[threadIdx.x] = 1;\n"
                 "  return row[0]; }\n"
                 "__global__ void k(P *p) { __shared__ P t[8]; extern __shared__ int more[];\n"
                 "  t[threadIdx.x].x = f() + more[0]; p[0].x = t[1].x; }\n");
  const ProgramModel model = program.model();
  ASSERT_EQ(model.sites.kernels.size(), 1u);
  EXPECT_EQ(model.sites.kernels[0].staticSharedBytes, 64 * 4 + 8 * 24u);
}

TEST(TracedRun, ArraysInSharedMemoryAreOneForAllBlocks) {
  const TracedRun run("struct P { float x; int n; float y, z; };\n"
                      "template <int N> __global__ void k(P *p) {\n"
                      "  __shared__ P t[N]; const int i = threadIdx.x;\n"
                      "  /*in*/t[i] = p[i]; __syncthreads();\n"
                      "  p[i].y = /*out*/t[N - 1 - i].y; }\n"
                      "int main() { P *d; cudaMalloc(&d, 64 * sizeof(P));\n"
                      "  cudaMemset(d, 0, 64 * sizeof(P));\n"
                      "  k<32><<<3, 32>>>(d); k<64><<<1, 64>>>(d);\n"
                      "  return cudaDeviceSynchronize(); }\n");
  EXPECT_EQ(run.output, "exit 0");
  ASSERT_EQ(run.trace.allocations.size(), 3u);
  const trace::Allocation &first = run.trace.allocations[1], &second = run.trace.allocations[2];
  for (const trace::Allocation &array : {first, second}) {
    EXPECT_EQ(array.address % 128, 0u);
    EXPECT_TRUE(array.isVariable);
    ASSERT_LT(array.group, run.trace.sites.groups.size());
    EXPECT_TRUE(run.trace.sites.groups[array.group].isShared);
  }
  EXPECT_EQ(first.bytes, 32 * 16u);
  EXPECT_EQ(second.bytes, 64 * 16u);
  const std::uint64_t base = run.trace.allocations.front().address;
  const auto at = [&](const trace::Allocation &array, std::uint64_t byte) {
    return array.address + byte - base;
  };
  const Seen in{0xffffffff, at(first, 0)}, out{0xffffffff, at(first, 31 * 16 + 8)};
  const std::vector<Seen> stores = run.at("in");
  ASSERT_GE(stores.size(), 5u);
  EXPECT_THAT(run.at("out"), ElementsAre(out, out, out, Seen{0xffffffff, at(second, 63 * 16 + 8)},
                                         Seen{0xffffffff, at(second, 31 * 16 + 8)}));
  EXPECT_EQ(std::count(stores.begin(), stores.end(), in), 3);
}

} // namespace
} // namespace relayout::instrument
