// SPDX-License-Identifier: Apache-2.0
// Lowers programs in the dialect of nvcc and GCC, of which standard C++ and Clang lack a part.
#include "lowered_test.h"

#include <gmock/gmock.h>

namespace relayout::instrument {
namespace {

TEST(Lowered, AttributesMayFollowExecutionSpaces) {
  expectOutput(ProgramText(std::string(kPrelude) + R"(
namespace wide {
__host__ [[nodiscard]] inline constexpr int one() { return 1; }
__device__ __host__
    [[nodiscard]] inline constexpr int lanes() noexcept { return 32; }
}
__global__ [[maybe_unused]] void k(P *p) { int a[2] = {3, 4}; p[threadIdx.x].n = wide::lanes() + a[a[0] - 2]; }
int main() {
  P *p = device<P>(1); k<<<1, 1>>>(p);
  P back; cudaMemcpy(&back, p, sizeof back, cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", back.n, wide::one());
}
)"),
               "36 1\n");
}

/// The preprocessor of nvcc takes comments out before its front end joins lines.
TEST(Lowered, LinesGoOnBehindComments) {
  expectOutput(ProgramText(std::string(kPrelude) + R"(
#define FOUR(a) 1 + /* \ // */ \
  (a)
__global__ void k(P *p) { p[threadIdx.x].n = (1 + \ 	 // one
  2 + \ /* two */
  3) * \ /* three */ // times
  2; }
int main() {
  P *p = device<P>(1); k<<<1, 1>>>(p);
  P back; cudaMemcpy(&back, p, sizeof back, cudaMemcpyDeviceToHost);
  int more = FOUR(3) + \ // four
    1;
  std::printf("%d %d \\ // %c\n", back.n, more, '\\'); // ends \ // here
}
)"),
               "12 5 \\ // \\\n");
}

TEST(Lowered, NvccsDialectIsTaken) {
  expectOutput(ProgramText(std::string(kPrelude) + R"(
struct Cell { float v; __device__ ~Cell() {} };
extern __shared__ float scale;
extern __shared__ int fixed[4];
__global__ void k(float *o, int n) {
  register int i = threadIdx.x;
  Cell cell; cell.v = 1;
  if (i == 0) scale = 2;
  __syncthreads();
  o[i] = scale * n + cell.v;
}
__global__ void local(float *o) {
  extern __shared__ double one;
  if (threadIdx.x == 0) one = 3;
  __syncthreads();
  o[threadIdx.x] += one;
}
__global__ void touch(P *p) { p[threadIdx.x].n = 1; }
__global__ void array(float *o) { fixed[threadIdx.x] = 1; __syncthreads(); o[threadIdx.x] += fixed[3 - threadIdx.x]; }
__global__ void jump(float *o) {
  switch (threadIdx.x) {
  case 0: const float a = o[0]; o[0] = a + 1; break;
  case 1:
    o[1] += 1;
    float b = o[1], c = 2; o[1] = b + c; break;
  case 2: P none; int steps; steps = 1; o[2] += steps; break;
  default: steps = 4; o[3] += steps; float d = o[3]; o[3] = d;
  }
}
template <int N> struct Shift { int v; };
int constant() { return 7; }
int both(const Shift<1> &const a, Shift<2> & const b) { return a.v &constant() + b.v; } // &const
template <int N> int operator<<(Shift<N> a, int b) { return a.v << b; }
const char *kText = "<< <not a launch>> >";
int main(int argc, char **) {
  float *o = device<float>(4);
  k << <1, 4, sizeof(float)>> >(o, 5); // a << < b >> >
  k<< <dim3(1), (4), 8 >>
    >(o, Shift<1>{3} << 1);
  local<<<1, 4, 8>>>(o);
  array< < <1, 4, 16> > >(o);
  touch<<<1, 4>>>(device<P>(4));
  show(o, 4);
  jump<<<1, 4>>>(o);
  show(o, 4);
  if (argc > 7) return;
  Shift<2> two{2};
  std::printf("%s %d %d\n", kText, operator<< <1>(Shift<1>{2}, 1), both(Shift<1>{9}, two));
}
)"),
               "17 17 17 17 \n18 20 18 21 \n<< <not a launch>> > 4 9\n");
}

TEST(Lowered, SettingsInBraces) {
  expectOutput(ProgramText(std::string(kPrelude) + R"(
template <class T> __global__ void count(T *o) { atomicAdd(o, 1); atomicAdd(o + 1, (int)blockIdx.y); }
__global__ void touch(P *p) { p[threadIdx.x].n += blockIdx.y; }
template <class T> void twice(T *o, unsigned n) { count<<<{1, n}, {2u, n}>>>(o); }
int main() {
  int *o = device<int>(2); P *p = device<P>(2);
  touch<<<{1, 2}, {2}>>>(p);
  count<<<{2, 3}, 4>>>(o); show(o, 2);
  count<int><<<2, {2, 2, 2}, 0, 0>>>(o); show(o, 2);
  twice(o, 3); show(o, 2);
  dim3 kept{2, 2}; count<<<kept, dim3{1, 1}>>>(o); show(o, 2);
}
)"),
               "24 24 \n40 24 \n58 42 \n62 44 \n");
}

TEST(Lowered, MembersMayBeTemplatesWithoutTheWord) {
  expectOutput(ProgramText(std::string(kPrelude) + R"(
template <class A, class B> struct Cast { template <int n> __device__ static int to(A *a, const B *b) { *a = *b * n; return n; } };
template <class A> struct Cast<A, double> { template <int n> __device__ static int to(A *a, const double *b) { *a = 7; return n; } };
template <class T, int n> __device__ int convert(P *p, T t) { return Cast<int, T>::to<n>(&p->n, &t); }
template <class T> __global__ void k(P *p, T t) { p[0].x = convert<T, 4>(p, t) + Cast<int, T>::template to<2>(&p[1].n, &t); }
int main() {
  P *p = device<P>(2), back[2];
  for (int i = 0; i < 2; ++i) {
    if (i) k<<<1, 1>>>(p, 1.0); else k<<<1, 1>>>(p, 3);
    cudaMemcpy(back, p, sizeof back, cudaMemcpyDeviceToHost);
    std::printf("%g %d %d ", back[0].x, back[0].n, back[1].n);
  }
}
)"),
               "6 12 6 6 7 7 ");
}

TEST(Lowered, NamesOfDependentClassesMayLackTheWords) {
  expectOutput(ProgramText(std::string(kPrelude) + R"(
template <class A> struct Base {
  template <class U> using With = U;
  __host__ __device__ int twice(A v) const { return int(2 * v); }
};
template <class A> struct Holder : Base<A> {
  using Other = typename Base<A>::With<float>;
  A by;
  __host__ __device__ Holder(A v) : by(v) {}
  Holder(const Holder &) = default;
  Holder(Holder &&) = delete;
  __host__ __device__ int f(Other v) const { return twice(by) + int(v); }
};
template <class A> __global__ void k(P *p, Holder<A> holder) { p[0].n = holder.f(1.5f); }
int main() {
  P *p = device<P>(1), back;
  Holder<double> holder(2.25);
  k<<<1, 1>>>(p, holder);
  cudaMemcpy(&back, p, sizeof back, cudaMemcpyDeviceToHost);
  std::printf("%d ", back.n);
}
)"),
               "5 ");
}

/// As GCC, the host compiler of nvcc, has it.
TEST(Lowered, ArraysOfVariableLengthHaveStartValues) {
  expectOutput(ProgramText(std::string(kPrelude) + R"(
#define TEST(name, ...) void name(int n) __VA_ARGS__
__global__ void k(P *p) { p[threadIdx.x].n += threadIdx.x; }
TEST(first, {
  P host[n] = {};
  char names[n][4] = {"ab", "cde"};
  const char *at[n] = {names[1], "x"}, end = '.';
  const float table[n][2] = {{3, 1}}, *const row[n] = {table[0]};
  static const P kNone = {2, 1}; const P all[n] = {kNone, {7, n}};
  std::printf("%d %s %s%c %g %g ", host[n - 1].n, names[1], at[0], end, row[0][1], all[1].x + sizeof all);
})
int main(int count, char **) {
  int seen[count + 3] = {5}, more{7};
  P *p = device<P>(count + 3), host[count + 3]{};
  k<<<1, count + 3>>>(p);
  cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
  first(2);
  std::printf("%d %d %d %d\n", seen[0], seen[3], more, host[3].n);
}
)"),
               "0 cde cde. 1 23 5 0 7 3\n");
}

TEST(Lowered, FunctionsListTheirExceptionsUntilCxx14) {
  ProgramText program(std::string(kPrelude) + R"(
struct Bad { int n; };
template <class T> struct Box { T get(T n) const throw(Bad, int); int none() throw() { return 1; } };
template <class T> T Box<T>::get(T n) const throw(Bad, int) { if (n < 0) throw Bad{3}; return n; }
int half(int n) throw(int);
int half(int n) throw(int) { if (n % 2) throw n; return n / 2; }
__global__ void k(P *p) { p[0].n = 4; }
int main() {
  P *p = device<P>(1), back; k<<<1, 1>>>(p);
  cudaMemcpy(&back, p, sizeof back, cudaMemcpyDeviceToHost);
  try { Box<int>().get(half(back.n) - 3); } catch (Bad bad) { std::printf("%d\n", bad.n); }
}
)");
  program.command.flags = {"-std=c++14"};
  expectOutput(program, "3\n");
}

TEST(Lowered, HostCodeMayTakeAddressesOfDeviceFunctions) {
  expectOutput(ProgramText(std::string(kPrelude) + R"(
struct Cell { float x; void (*step)(Cell *, int); };
__device__ void grow(Cell *c, int n);
__device__ void rest(Cell *c, int) { c->x = -1; }
__global__ void k(Cell *c) { if (c[threadIdx.x].step) grow(c + threadIdx.x, 2); else rest(c + threadIdx.x, 1); }
void set(Cell *c, int i) { c->x = i; c->step = i == 0 ? grow : (i == 1 ? &rest : nullptr); }
__device__ void grow(Cell *c, int n) { c->x += n; }
int main() {
  Cell *d = device<Cell>(3), h[3];
  for (int i = 0; i < 3; ++i) set(h + i, i);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice); k<<<1, 3>>>(d); cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  std::printf("%g %g %g\n", h[0].x, h[1].x, h[2].x);
}
)"),
               "2 3 -1\n");
}

/// nvcc warns of it only.
TEST(Lowered, InitialisersMayNarrow) {
  expectOutput(ProgramText(std::string(kPrelude) + R"(
__global__ void k(P *p) { double s = 1.5; float2 v = {s, s + 1}; p[0].x = v.x + v.y; }
int main() {
  P *p = device<P>(1); k<<<1, 1>>>(p);
  double one = 1; P back = {one, 0}; cudaMemcpy(&back, p, sizeof back, cudaMemcpyDeviceToHost);
  std::printf("%g\n", back.x);
}
)"),
               "4\n");
}

/// Host compilers would go on with whatever follows in memory.
TEST(Lowered, FunctionsThatReturnNothingEnd) {
  expectOutput(ProgramText(std::string(kPrelude) + R"(
struct V { float x; __device__ V &operator=(const P &p) { x = p.x; } };
__device__ float store(P *p, int i) { p[i].x = i; }
__device__ P *find(P *p, int i) { for (int k = 0; k < 4; ++k) if (k == i) return p + k; }
template <class T> __host__ __device__ int note(T *t) { if (t) { t[0].x += 1; } else return 1; }
int last(int n) { while (true) { if (n > 3) break; ++n; } }
struct None { int n; explicit None(int m) : n(m) {} };
struct Pair { None a[1]; };
struct Wide : None { float x; };
Pair pair(int n) { switch (n) { default: return {None(n)}; } }
auto chosen(int n) { switch (n) { case 1: return 1; default: return 2; } }
Wide wide(int n) { for (;;) { for (;;) { goto out; } } out: return Wide{None(n), 1}; }
__global__ void k(P *p) { V v; v = p[1]; store(p, 2); note(p); find(p, 3)->x = 7; p[1].x = v.x + 5; }
int main() {
  P *p = device<P>(4), back[4]; last(1);
  k<<<1, 1>>>(p); cudaMemcpy(back, p, sizeof back, cudaMemcpyDeviceToHost);
  std::printf("%g %g %g %g\n", back[0].x, back[1].x, back[2].x, back[3].x);
}
)"),
               "1 5 2 7\n");
}

} // namespace
} // namespace relayout::instrument
