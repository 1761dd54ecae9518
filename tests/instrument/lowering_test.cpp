// SPDX-License-Identifier: Apache-2.0
// Lowered programs compile with every compiler and do what the CUDA program says.
#include "lowered_test.h"

#include <gmock/gmock.h>

namespace relayout::instrument {
namespace {

/// The edits of one file differ with the macros that it is included for.
TEST(Lowered, ListsOfMembersAreIncludedForSeveralMacros) {
  ProgramText program(std::string(kPrelude) + R"(
struct Many {
#define MEMBER(T, name, size) T *name; int name##Size;
#include "members.def"
#undef MEMBER
  int count;
};
#define MEMBER(T, name, size)
#include "members.def"
#undef MEMBER
void allocate(Many &many) {
#define MEMBER(T, name, size) many.name##Size = size; cudaMalloc(&many.name, size * sizeof(T)); cudaMemset(many.name, 0, size * sizeof(T));
#include "members.def"
#undef MEMBER
}
__global__ void k(Many many) {
#define MEMBER(T, name, size) many.name[threadIdx.x % many.name##Size].n += size;
#include "members.def"
#undef MEMBER
}
void print(const Many &many) {
#define MEMBER(T, name, size) { T one; cudaMemcpy(&one, many.name + 1, sizeof one, cudaMemcpyDeviceToHost); std::printf("%d ", one.n); }
#include "members.def"
#undef MEMBER
}
int main() { Many many; allocate(many); k<<<1, 4>>>(many); print(many); }
)");
  program.add("members.def", "/* name, size */\nMEMBER(P, few, 4)\nMEMBER(P, more, 9)\n");
  expectOutput(program, "4 9 ");
}

/// Clang alone passes over their bodies.
TEST(Lowered, TemplatesThatNothingInstantiatesHaveNoLaunches) {
  const ProgramText program("struct P { float x; };\n"
                            "template <class B> struct Run { P *p;\n"
                            "  int never(B &b) { if (p) { Later<<<2, 32>>>(p, b); } return 1; }\n"
                            "  int quiet(B &b) { return later(p, b); } };\n"
                            "template <class B> __global__ void Later(P *p, B b) { p->x += b; }\n"
                            "__global__ void k(P *p) { p->x = 1; }\n"
                            "int main() { Run<int> r; cudaMalloc(&r.p, 4); k<<<1, 1>>>(r.p); }\n");
  const auto lowered = lowerForHost(program.command, Probes::Trace);
  ASSERT_TRUE(lowered.has_value());
  const std::string &text = lowered->sources.files.front().text;
  EXPECT_EQ(text.find("<<<"), std::string::npos) << text;
  EXPECT_NE(text.find("return later(p, b);"), std::string::npos) << text;
}

/// As in C, where names of structs are apart.
TEST(Lowered, VariablesMayHaveTheNameOfTheirStruct) {
  expectOutput(ProgramText(std::string(kPrelude) + R"(
struct table { int n[2]; };
extern struct table table;
typedef struct { int n; } Plain;
__global__ void fill(struct table *t, Plain *p, int a) { t->n[threadIdx.x] = a; p->n = a; }
__global__ void fill(struct table *t, Plain *p, int a, int b) { t->n[threadIdx.x] += a * b; p->n = a + b; }
struct table table;
int main() {
  struct table *t = device<struct table>(1); Plain *p = device<Plain>(1), plain;
  fill<<<1, 2>>>(t, p, 3); fill<<<1, 2>>>(t, p, 4, 5);
  cudaMemcpy(&table, t, sizeof table, cudaMemcpyDeviceToHost); cudaMemcpy(&plain, p, sizeof plain, cudaMemcpyDeviceToHost);
  std::printf("%d %d %d\n", table.n[0], table.n[1], plain.n);
}
)"),
               "23 23 9\n");
}

TEST(Lowered, NamesOfAlgorithmsAreTheProgramsOwn) {
  expectOutput(ProgramText(std::string(kPrelude) + R"(
using namespace std;
__device__ int count = 3;
__global__ void k(P *p) { p[0].n = atomicAdd(&count, 1); p[0].n += count; }
int main() {
  P *p = device<P>(1); k<<<1, 1>>>(p);
  P back; cudaMemcpy(&back, p, sizeof back, cudaMemcpyDeviceToHost);
  std::printf("%d\n", back.n);
}
)"),
               "7\n");
}

TEST(Lowered, DeviceFunctionsThatNothingCallsMayUseTheHost) {
  expectOutput(ProgramText(std::string(kPrelude) + R"(
int table(int i) { return i * 3; }
struct Copier {
  P *at;
  __device__ void fetch(P *to) const { cudaMemcpy(to, at, sizeof(P), cudaMemcpyDeviceToHost); }
  __device__ int third(int i) const { return table(i); }
  __device__ int one() const { return at->n; }
};
__global__ void k(Copier c) { c.at->n = 1; c.at->n += c.one(); }
int main() {
  P *p = device<P>(1); k<<<1, 1>>>(Copier{p});
  P back; cudaMemcpy(&back, p, sizeof back, cudaMemcpyDeviceToHost);
  std::printf("%d\n", back.n);
}
)"),
               "2\n");
}

TEST(Lowered, LaunchesInTemplatesUseConstantsAround) {
  expectOutput(ProgramText(std::string(kPrelude) + R"(
template <class T, int B, int N> __global__ void add(T *p, int *n) { p[threadIdx.x].n += B * N; n[threadIdx.x] = B; }
template <class T, int N> void launch(T *p, int *n) {
  constexpr int B = 16;
  const int threads = 4;
  add<T, B, N><<<1, threads>>>(p, n);
}
int main() {
  P *p = device<P>(4); int *n = device<int>(4);
  launch<P, 3>(p, n);
  P back[4]; cudaMemcpy(back, p, sizeof back, cudaMemcpyDeviceToHost);
  std::printf("%d ", back[3].n);
  show(n, 4);
}
)"),
               "48 16 16 16 16 \n");
}

TEST(Lowered, LaunchesInEveryForm) {
  expectOutput(ProgramText(std::string(kPrelude) + R"(
__global__ void plain(P *p, float v = 2.5f) { p[blockIdx.x * blockDim.x + threadIdx.x].x += v; }
template <class T> __global__ void deduced(T *p, T v) { p[threadIdx.x] += v; }
template <int B> __global__ void explicitly(P *p) { p[threadIdx.x].n += B; }
template <int B, class T> __global__ void mixed(P *p, T v) { p[threadIdx.x].n += B * (int)v; }
__global__ void over(P *p, int v) { p[threadIdx.x].n += v; }
__global__ void over(P *p, double v) { p[threadIdx.x].n += 100; }
template <class T> void launchDependent(P *p, T v) { mixed<2><<<1, 2>>>(p, v); mixed<1, T><<<1, 2>>>(p, v); }
namespace deep { namespace er { __global__ void inside(P *p) { ++p[threadIdx.x].n; } } }
using namespace deep;
template <class F> __global__ void call(P *p, F f) { f(p[threadIdx.x]); }
template <class K> struct Launcher {
  K held;
  template <class L> void run(L given, P *p) { given<<<1, 1>>>(p); held<<<1, 1>>>(p); }
};
__global__ void extract(const P *p, float *x, int *n) { x[threadIdx.x] = p[threadIdx.x].x; n[threadIdx.x] = p[threadIdx.x].n; }
int main() {
  P *p = device<P>(4); float *x = device<float>(4); int *n = device<int>(4);
  cudaStream_t stream; cudaStreamCreate(&stream);
  plain<<<2, 2>>>(p);
  plain<<<dim3(1, 1), dim3(2), 0, stream>>>(p, 1);
  deduced<<<1, 3>>>(x, 1.0f);
  explicitly<7><<<1, 1>>>(p);
  mixed<3><<<1, 2, 16>>>(p, 1.0);
  over<<<1, 1>>>(p, 3); over<<<1, 1>>>(p, 3.0);
  launchDependent(p, 1); launchDependent(p, 2.0f);
  er::inside<<<1, 4>>>(p);
  void (*pointer)(P *) = explicitly<9>; pointer<<<1, 4>>>(p);
  Launcher<void (*)(P *)>{explicitly<5>}.run(explicitly<4>, p);
  auto generic = [&](auto kernel, auto... values) { kernel<<<1, 1>>>(p, values...); };
  generic(explicitly<30>); generic(plain, 4.0f);
  int captured = 1000; call<<<1, 1>>>(p, [=] __device__(P &q) { q.n += captured; });
  if (captured) extract<<<1, 4>>>(p, x, n); else plain<<<1, 1>>>(p);
  show(x, 4); show(n, 4);
}
)"),
               "7.5 3.5 2.5 2.5 \n1171 22 10 10 \n");
}

TEST(Lowered, SharedMemoryInEveryForm) {
  expectOutput(ProgramText(std::string(kPrelude) + R"(
extern __shared__ float everywhere[];
#define SHARED(type, name, n) static __shared__ type name[n]
__device__ float sumOf() { float s = 0; for (unsigned i = 0; i < blockDim.x; ++i) s += everywhere[i]; return s; }
__global__ void atFileScope(const P *p, float *o) {
  everywhere[threadIdx.x] = p[threadIdx.x].x + threadIdx.x; __syncthreads();
  float *q = everywhere + 1; o[blockIdx.x] = sumOf() + (blockDim.x > 1 ? *q : 0.0f);
}
template <class T> __global__ void inFunction(T *o) {
  extern __shared__ __align__(16) unsigned char raw[];
  T *s = reinterpret_cast<T *>(raw);
  SHARED(int, fixed, 8); volatile __shared__ int last;
  s[threadIdx.x] = threadIdx.x; fixed[threadIdx.x] = 2 * threadIdx.x;
  if (threadIdx.x == 7) last = 5;
  __syncthreads();
  o[threadIdx.x] = s[7 - threadIdx.x] + fixed[(threadIdx.x + 1) % 8] + last;
}
template <class T> __global__ void large(T *o) {
  extern __shared__ char bytes[];
  T *s = reinterpret_cast<T *>(bytes);
  s[threadIdx.x * 4096] = T(threadIdx.x); __syncthreads();
  o[threadIdx.x] += s[(threadIdx.x ^ 1) * 4096];
}
template <class T> cudaError_t launchLarge(T *o, bool ask) {
  if (ask) cudaFuncSetAttribute(large<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
  large<T><<<1, 4, 65536>>>(o);
  return cudaGetLastError();
}
__global__ void rows(float *o) {
  extern __shared__ float table[][4];
  table[threadIdx.x][1] = threadIdx.x; __syncthreads();
  o[threadIdx.x] = table[threadIdx.x ^ 1][1];
}
template <class T, int Pad = 0> __device__ extern __shared__ T ofTemplate[];
template <class T> __global__ void rotate(T *o) {
  ofTemplate<T>[threadIdx.x] = o[threadIdx.x]; __syncthreads();
  T *next = ofTemplate<T, 0> + 1;
  o[threadIdx.x] = threadIdx.x < 3 ? next[threadIdx.x] : *ofTemplate<T>;
}
template <class T> __global__ void addressed(T *o) {
  extern __shared__ T cells[];
  T *s = (T *)&cells, (*whole)[] = &cells;
  s[threadIdx.x] = threadIdx.x; __syncthreads();
  o[threadIdx.x] = (*whole)[3 - threadIdx.x] + cells[0];
}
int main() {
  P *p = device<P>(8); float *o = device<float>(8); double *d = device<double>(8);
  atFileScope<<<2, 8, 8 * sizeof(float)>>>(p, o); show(o, 2);
  inFunction<<<1, 8, 64>>>(d); show(d, 8);
  rows<<<1, 4, 64>>>(o); show(o, 4);
  std::printf("%d ", launchLarge(o, false)); std::printf("%d ", launchLarge(o, true)); show(o, 4);
  rotate<<<1, 4, 64>>>(o); show(o, 4);
  addressed<<<1, 4, 64>>>(o); show(o, 4);
}
)"),
               "29 29 \n14 15 16 17 18 19 20 5 \n1 0 3 2 \n1 0 2 0 6 4 \n0 6 4 2 \n3 2 1 0 \n");
}

TEST(Lowered, KernelsFreeOnlyWhatTheyAllocated) {
  expectOutput(ProgramText(std::string(kPrelude) + R"(
struct Pool { int freed; __device__ void free(float *) { ++freed; } };
namespace own { __device__ void free(float *, Pool &pool) { pool.free(nullptr); } }
template <class T> __device__ void release(T *own, Pool &pool) { free(own); pool.free(own); }
__global__ void use(float *given, float *o, P *p) {
  p[threadIdx.x].x = 0;
  Pool pool{}; own::free(given, pool); release((float *)malloc(4), pool); o[1] = pool.freed;
  float *own = (float *)malloc(4 * sizeof(float));
  own[threadIdx.x] = given[threadIdx.x]; o[threadIdx.x] = own[threadIdx.x] + 1;
  free(own); free(given); std::free(nullptr);
}
int main() {
  float *given = device<float>(1), *o = device<float>(2);
  use<<<1, 1>>>(given, o, device<P>(1)); show(o, 2);
  cudaFree(given); std::printf("%d\n", cudaGetLastError());
}
)"),
               "1 2 \n0\n");
}

TEST(Lowered, SharedMemoryMayBeAlignedInAnyPlace) {
  expectOutput(ProgramText(std::string(kPrelude) + R"(
__global__ void k(int *o, P *p) {
  __shared__ alignas(16) float a[4]; alignas(32) __shared__ int b; __shared__ alignas(8) alignas(64) char c[3];
  p[threadIdx.x].x = a[threadIdx.x] = 3; b = 1; c[0] = 2;
  o[0] = (size_t)a % 16 + (size_t)&b % 32 + (size_t)c % 64; o[1] = a[0] + b + c[0];
}
int main() { int *o = device<int>(2); k<<<1, 1>>>(o, device<P>(1)); show(o, 2); }
)"),
               "0 6 \n");
}

TEST(Lowered, SharedPointersMayBeSharedBehindTheirSign) {
  expectOutput(ProgramText(std::string(kPrelude) + R"(
__global__ void k(int *o, P *p) {
  P *__shared__ first; const P* __shared__ second;
  if (threadIdx.x == 0) { first = p; second = p + 1; }
  __syncthreads();
  first[threadIdx.x].x = threadIdx.x + 2; __syncthreads();
  if (threadIdx.x == 0) o[0] = second->x;
}
int main() { int *o = device<int>(1); k<<<1, 2>>>(o, device<P>(2)); show(o, 1); }
)"),
               "3 \n");
}

// PTX ISA, "cvt": saturated, and 0 of what is no number.
TEST(Lowered, DeviceCodeConvertsToIntegersAsAGpu) {
  expectOutput(ProgramText(std::string(kPrelude) + R"(
#include <cmath>
__device__ int whole(float x) { return x; }
__device__ int twice(double x) { int i = 1; i = x * 2; return i; }
__global__ void k(int *o, P *p, const float *x) {
  p[threadIdx.x].x = 0;
  const int i = threadIdx.x;
  int *to = o + 6 * i;
  to[0] = whole(x[i]); to[1] = (unsigned)x[i] / 2u; to[2] = static_cast<unsigned char>(x[i]);
  to[3] = short(x[i]); to[4] = twice(x[i]); to[5] = (long long)x[i] >> 32;
}
int main() {
  float host[] = {-2.5f, NAN, 3e9f, -3e9f, 300.75f}, *x = device<float>(5);
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  int *o = device<int>(30); k<<<1, 5>>>(o, device<P>(5), x); show(o, 30);
}
)"),
               "-2 0 0 -2 -5 -1 "
               "0 0 0 0 -2.14748e+09 -2.14748e+09 "
               "2.14748e+09 1.5e+09 0 -1 2.14748e+09 0 "
               "-2.14748e+09 0 0 0 -2.14748e+09 -1 "
               "300 150 44 300 601 0 \n");
}

// GCC moves four words at once, and faults where they are not aligned for that.
TEST(Lowered, SharedArraysMayBeAccessedByFourWords) {
  expectOutput(ProgramText(std::string(kPrelude) + R"(
__global__ void k(int *o, P *p) {
  __shared__ unsigned char one;
  __shared__ int three[3];
  volatile __shared__ int many[4 * 8];
  const int i = threadIdx.x;
  p[i].x = 0;
  if (i == 0) { one = 1; three[2] = 5; }
  int4 sums = {i + o[0], i + o[1], i + o[2], i + o[3]};
  ((int4 *)many)[i] = sums;
  __syncthreads();
  o[4 + i] = many[(4 * i + 5) % 32] + one + three[2];
}
int main() {
  const int host[] = {10, 20, 30, 40}; int *o = device<int>(12);
  cudaMemcpy(o, host, sizeof host, cudaMemcpyHostToDevice);
  k<<<1, 8>>>(o, device<P>(8)); show(o, 12);
}
)"),
               "10 20 30 40 27 28 29 30 31 32 33 26 \n");
}

// PTX ISA, "shl" and "shr": counts are clamped.
TEST(Lowered, DeviceCodeShiftsAsAGpu) {
  expectOutput(ProgramText(std::string(kPrelude) + R"(
#define OFFSET(i) ((i) >> 4 + (i) >> 8)
__global__ void k(int *o, P *p, int n) {
  p[threadIdx.x].x = 0;
  unsigned u = 284; long long wide = 1; unsigned char c = 200; volatile int v = -8;
  o[0] = OFFSET(u + n - n); o[1] = -7 >> n; o[2] = 1u << n; o[3] = (wide << n) >> (n - 8);
  c >>= n / 10; o[4] = c; v >>= n; o[5] = v; u <<= n; o[6] = u; o[7] = 1 << 3; o[8] = 5 >> n % 2;
}
int main() { int *o = device<int>(9); k<<<1, 1>>>(o, device<P>(1), 40); show(o, 9); }
)"),
               "0 -1 0 256 12 -1 0 8 5 \n");
}

// As on a GPU, whose programs end well although they read and write some bytes too many.
TEST(Lowered, BehindMemoryOfKernelsAreZerosThatMayBeOverwritten) {
  expectOutput(ProgramText(std::string(kPrelude) + R"(
#include <new>
struct Own { int n; __device__ void *operator new(size_t bytes) { return malloc(bytes); } };
struct Node { int value = 7; __device__ ~Node() { value = 0; } };
template <class T> __device__ int lastOf(int n) {
  T *made = ::new T[n]; int *more = new int[n];
  for (int i = 0; i < n + 16; ++i) more[i] = i;
  int last = made[n - 1].value + more[n - 1]; delete[] made; delete[] more; return last;
}
__global__ void use(int *o, P *p) {
  p[threadIdx.x].x = 0;
  char *bytes = (char *)malloc(5), *other = (char *)malloc(5);
  int *own = new int[3]; Own *one = new Own(); alignas(64) Node place; new (&place) Node();
  o[0] = bytes[5 + 100] + own[0] + own[3] + own[20] + one->n;
  for (int i = 0; i < 100; ++i) bytes[i] = own[i % 30] = 1;
  o[1] = other[0] + lastOf<Node>(4) + place.value;
  free(bytes); free(other); delete[] own; free(one);
}
int main() {
  int *o = device<int>(2);
  use<<<1, 1>>>(o, device<P>(1)); show(o, 2);
}
)"),
               "0 17 \n");
}

TEST(Lowered, ControlFlowKeepsItsMeaning) {
  expectOutput(ProgramText(std::string(kPrelude) + R"(
__device__ int collatz(P *p) { int steps = 0; while (p->n != 1) { if (p->n & 1) p->n = 3 * p->n + 1; else p->n /= 2; ++steps; } return steps; }
__global__ void k(P *p, int *o) {
  int i = threadIdx.x;
  P *e = p + i;
  e->n = i + 1;
  int t = collatz(e);
  e->n = i;
  do if (e->n > 2) break; else e->n++; while (e->n < 10);
  for (;;) { if (p[i].n >= 5) break; p[i].n++; if (p[i].n == 4) continue; p[i].x += 1; }
  if (i > 1) for (int j = 0; j < i; ++j) if (j == 1) continue; else t += p[i].n; else t = -t;
  while (int left = 5 - p[i].n) { p[i].n += left > 0 ? 1 : -1; t += 100; }
  for (int j = p[i].n; int left = j; j--) t += left;
  switch (i) { case 0: t += p[i].n; break; case 1: for (int j = 0; j < 2; ++j) t += (int)p[i].x; default: t++; }
  o[i] = t;
}
int main() { P *p = device<P>(4); int *o = device<int>(4); k<<<1, 4>>>(p, o); show(o, 4); }
)"),
               "20 17 28 28 \n");
}

TEST(Lowered, HeadersFoundByFlagsAreTheLoweredOnes) {
  ProgramText program(std::string(kPrelude) +
                          "#include <fields.h>\n#include \"sub/more.h\"\n"
                          "int main() { Q *q = device<Q>(2); float *o = device<float>(2);\n"
                          "  fill<<<1, 2>>>(q); more<<<1, 2>>>(q, o); show(o, 2); }\n",
                      "src/main.cu");
  program.add("include/fields.h",
              "#pragma once\nstruct Q { float a, b; };\n"
              "__global__ void fill(Q *q) { q[threadIdx.x].a = threadIdx.x + 1; }\n");
  program.add("src/sub/more.h", "#include \"../../include/fields.h\"\n"
                                "__global__ void more(const Q *q, float *o) "
                                "{ o[threadIdx.x] = 2 * q[threadIdx.x].a; }\n");
  program.command.flags = {"-I", program.folder() + "/include"};
  expectOutput(program, "2 4 \n");
}

TEST(Lowered, SharedRecordsWithDefaultMemberInitialisers) {
  expectOutput(ProgramText(std::string(kPrelude) + R"(
struct Best { float value = 1e30f; int index = -1; };
__global__ void k(const P *p, int *o) {
  __shared__ Best best[8]; static __shared__ Best one;
  best[threadIdx.x].value = p[threadIdx.x].x; one.index = 3;
  __syncthreads();
  o[threadIdx.x] = (int)best[7 - threadIdx.x].value + one.index;
}
template <class T> __global__ void t(T *o) {
  __shared__ Best of[4];
  of[threadIdx.x].index = 2 * threadIdx.x;
  __syncthreads();
  o[threadIdx.x] = of[threadIdx.x ^ 1].index;
}
int main() {
  P *p = device<P>(8); int *o = device<int>(8);
  k<<<1, 8>>>(p, o); show(o, 8); t<<<1, 4>>>(o); show(o, 4);
}
)"),
               "3 3 3 3 3 3 3 3 \n2 0 6 4 \n");
}

/// Libraries have thread-local variables of their own.
TEST(Lowered, KernelsMayHaveNamesOfTheStandardLibraryOrBeDeclaredInFunctions) {
  const ProgramText program("#include <cstdio>\n"
                            "using namespace std;\n"
                            "struct P { int n; };\n"
                            "__global__ void merge(P *p) { p[threadIdx.x].n += 1; }\n"
                            "int main() {\n"
                            "  __global__ void later(P *p);\n"
                            "  P *p; cudaMallocManaged(&p, 4 * sizeof(P));\n"
                            "  merge<<<1, 4>>>(p); later<<<1, 4>>>(p); cudaDeviceSynchronize();\n"
                            "  printf(\"%d\\n\", p[3].n); }\n"
                            "__global__ void later(P *p) { p[threadIdx.x].n += 2; }\n");
  expectOutputWith(Probes::Trace, program, program.program(), "3\n");
}

TEST(Lowered, HostThreadsRunFutures) {
  expectOutput(ProgramText("#include <future>\n" + std::string(kPrelude) + R"(
__global__ void k(const P *p, int *o) { o[threadIdx.x] = threadIdx.x + p[threadIdx.x].n; }
int main() {
  P *p = device<P>(4); int *o = device<int>(4);
  std::async(std::launch::async, [p, o] { k<<<1, 4>>>(p, o); }).get();
  show(o, 4);
}
)"),
               "0 1 2 3 \n");
}

TEST(Lowered, SpecialisedMembersKeepTheirExecutionSpace) {
  expectOutput(ProgramText(std::string(kPrelude) + R"(
template <class T> struct Scale { __device__ T by(T a); __host__ __device__ static T twice(T a); };
template <class T> __device__ T Scale<T>::by(T a) { return a; }
template <> float Scale<float>::by(float a) { return 5 * a; }
template <> float Scale<float>::twice(float a) { return 2 * a; }
__global__ void k(P *p, float *o) { Scale<float> s; p[0].x = 3; o[0] = s.by(p[0].x) + Scale<float>::twice(1); }
int main() { P *p = device<P>(1); float *o = device<float>(1); k<<<1, 1>>>(p, o); show(o, 1); }
)"),
               "17 \n");
}

/// As nvcc sees it where it compiles for the device.
TEST(Lowered, FunctionsAreForTheDeviceWhereCudaArchIsDefined) {
  expectOutput(ProgramText(std::string(kPrelude) + R"(
#ifdef __CUDA_ARCH__
#define BOTH __host__ __device__
#else
#define BOTH
#endif
BOTH float twice(float x);
BOTH float twice(float x) { return 2 * x; }
BOTH float cost(const P *p, int i) { return twice(p[i].x); }
__global__ void k(P *p) { p[0].x = cost(p, 1) + twice(3); }
int main() {
  P *p = device<P>(2), back[2];
  k<<<1, 1>>>(p); cudaMemcpy(back, p, sizeof back, cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", back[0].x, cost(back, 0));
}
)"),
               "6 12\n");
}

TEST(Lowered, MessagesKeepFileAndLine) {
  const ProgramText program("#include <cstdio>\nstruct P { float x; };\n"
                            "#define RUN(...) __VA_ARGS__\n"
                            "__global__ void k(P *p, int n) { p[0].x = n; }\n"
                            "int main() { P *d; cudaMalloc(&d, 4);\n"
                            "  RUN(k<<<1,\n    1>>>(d,\n    2));\n"
                            "  std::printf(\"%d\\n\", __LINE__); }\n");
  expectOutput(program, "9\n");
}

TEST(LoweredCopies, SayWhichBytesOfARecordArePaddingHoweverLargeItIs) {
  const auto lowered =
      lowerForHost(ProgramText("struct Base { char tag; };\n"
                               "struct Part : Base { short bits : 3; int *address; };\n"
                               "struct Padded { char c; Part parts[2]; int values[100000000]; };\n"
                               "struct Stack { int *items[1000000000]; int size; };\n"
                               "__global__ void k(Padded *p, Stack *s) {\n"
                               "  p[0].c = 1; s[threadIdx.x].size = 1;\n"
                               "}\n"
                               "int main() {\n"
                               "  Padded *p, *hp = new Padded; Stack *s, *hs = new Stack;\n"
                               "  cudaMalloc(&p, sizeof *p); cudaMalloc(&s, sizeof *s);\n"
                               "  k<<<1, 1>>>(p, s);\n"
                               "  cudaMemcpy(hp, p, sizeof *p, cudaMemcpyDeviceToHost);\n"
                               "  cudaMemcpy(hs, s, sizeof *s, cudaMemcpyDeviceToHost);\n"
                               "}\n")
                       .command,
                   Probes::None);
  ASSERT_TRUE(lowered) << lowered.error().text;
  const std::string &text = lowered->sources.files.front().text;
  EXPECT_THAT(text, testing::HasSubstr("400000040u, {{1u, 7u}, {10u, 14u}, {26u, 14u}})"));
  EXPECT_THAT(text, testing::HasSubstr(", 1u, {})")); // its size has more than 32 bits
}

} // namespace
} // namespace relayout::instrument
