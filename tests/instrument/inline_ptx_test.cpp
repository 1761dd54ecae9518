// SPDX-License-Identifier: Apache-2.0
// Single PTX instructions in inline assembly run on the CPU; what is not known is named.
#include "host/inline_ptx.h"

#include "lowered_program.h"

#include <gmock/gmock.h>

namespace relayout::instrument {
namespace {

TEST(InlinePtx, SaysInstructionsInCpp) {
  const auto said = [](const char *text, std::size_t operands) {
    return statementOfPtx(text, std::vector<std::string>(operands)).value_or("unknown");
  };
  EXPECT_EQ(said("ld.global.nc.L1::no_allocate.f32 %0, [%1+16];", 2),
            "::relayout::host::ptx::load<float>(relayoutOperand0, "
            "::relayout::host::ptx::at(relayoutOperand1, 16));");
  EXPECT_EQ(said("{ st.global.cs.v2.f64 [%2], {%0, %1};\n}", 3),
            "::relayout::host::ptx::store<double>(relayoutOperand2, relayoutOperand0, "
            "relayoutOperand1);");
  EXPECT_EQ(said("", 0), "");
  EXPECT_EQ(said("membar.gl;", 0), "::relayout::host::ptx::fence<void>();");
  EXPECT_EQ(said("mov.u32 %0, %%smoothing;", 1), "unknown");
  EXPECT_EQ(said("add.u32 %0, %1, %5;", 2), "unknown");
  EXPECT_EQ(said("ld.shared.u32 %0, [%1];", 2), "unknown");
  EXPECT_EQ(said("add.rz.f32 %0, %1, %2;", 3), "unknown");
  EXPECT_EQ(said("add.u32 %0, %1, 1;\n\tadd.u32 %0, %0, 1;", 2),
            "::relayout::host::ptx::add<unsigned>(relayoutOperand0, relayoutOperand1, 1); "
            "::relayout::host::ptx::add<unsigned>(relayoutOperand0, relayoutOperand0, 1);");
  EXPECT_EQ(said("{ .reg .u32 t; add.u32 t, %1, 1; mov.u32 %0, t; }", 2), "unknown");
  EXPECT_EQ(said("set.eq.f32.u32 %0, %1, %2;", 3), "unknown");
}

/// Arithmetic of long numbers, whose carry one statement leaves to the next.
TEST(InlinePtxRuns, CarriesFromStatementToStatement) {
  expectOutput(ProgramText(R"(
#include <cstdio>
struct P { unsigned v[2]; };
__device__ unsigned addFirst(unsigned a, unsigned b) {
  unsigned sum; asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b)); return sum;
}
__device__ unsigned addLast(unsigned a, unsigned b) {
  unsigned sum; asm volatile("addc.u32 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b)); return sum;
}
__global__ void k(P *p, unsigned long long *out) {
  P &x = p[threadIdx.x];
  const unsigned low = addFirst(x.v[0], 0xfffffff0u), high = addLast(x.v[1], 7);
  out[0] = low + ((unsigned long long)high << 32);
  unsigned a = x.v[0], b = x.v[1];
  asm("sub.cc.u32 %0, %2, %4;\n\tsubc.u32 %1, %3, %5;" : "=r"(a), "=r"(b) : "r"(a), "r"(b), "r"(33), "r"(1));
  out[1] = a + ((unsigned long long)b << 32);
  asm("mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, %5;" : "=r"(a), "=r"(b) : "r"(0xffffffffu), "r"(0xfffffffeu), "r"(5), "r"(9));
  out[2] = a + ((unsigned long long)b << 32);
  unsigned isEqual; asm("set.eq.u32.u32 %0, %1, %2;" : "=r"(isEqual) : "r"(x.v[0]), "r"(32)); out[3] = isEqual;
}
int main() {
  P h = {{32, 5}}, *p; unsigned long long *out, back[4];
  cudaMalloc(&p, sizeof h); cudaMalloc(&out, sizeof back);
  cudaMemcpy(p, &h, sizeof h, cudaMemcpyHostToDevice);
  k<<<1, 1>>>(p, out);
  cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost);
  const unsigned long long n = (5ull << 32) + 32;
  std::printf("%d %d %d %llx ", back[0] == n + (7ull << 32) + 0xfffffff0ull, back[1] == n - (1ull << 32) - 33,
              back[2] == 0xffffffffull * 0xfffffffeull + 5 + (9ull << 32), back[3]);
}
)"),
               "1 1 1 ffffffff ");
}

TEST(InlinePtxRuns, WithAndWithoutProbes) {
  const ProgramText program(R"(
#include <cstdio>
struct P { float x; int n; };
__device__ __forceinline__ unsigned lane() {
  unsigned id; asm volatile("mov.u32 %0, %%laneid;" : "=r"(id)); return id;
}
template <class T> __device__ T wide(T a) {
  T high; asm("mul.hi.u32 %[high], %[a], %[b];" : [high] "=r"(high) : [a] "r"(a), [b] "r"(8)); return high;
}
__global__ void k(P *p, float *f, unsigned *u) {
  const int i = threadIdx.x;
  unsigned below; asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  float v; asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(v) : "l"(f + i));
  asm volatile("st.global.cg.f32 [%0], %1;" :: "l"(f + i), "f"(p[i].x + v) : "memory");
  asm volatile("prefetch.global.L1 [%0];" :: "l"(f)); asm volatile("membar.gl;"); asm volatile("" ::: "memory");
  asm("bfe.u32 %0, %1, 4, 8;" : "=r"(p[i].n) : "r"(0xabcd));
  u[4 * i] = lane(); u[4 * i + 1] = below; u[4 * i + 2] = wide(0xffffffffu);
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(u[4 * i + 3]) : "r"(0xf0), "r"(0xcc), "r"(0xaa));
  asm("add.u32 %0, %0, 1;" : "+r"(u[4 * i + 3]));
  int low, high; asm("vmin.s32.s32.s32.max %0, %1, %2, %3;" : "=r"(low) : "r"(-3), "r"(5), "r"(-1));
  asm("vmax.s32.s32.s32.min %0, %1, %2, %3;" : "=r"(high) : "r"(-3), "r"(5), "r"(4));
  u[4 * i + 3] += 16 * (high - low);
  float one; asm("mov.b32 %0, %1;" : "=f"(one) : "r"(0x3f800000)); p[i].x = one;
}
int main() {
  P *p; float *f; unsigned *u;
  cudaMalloc(&p, 2 * sizeof(P)); cudaMalloc(&f, 8); cudaMalloc(&u, 32);
  P hp[2] = {{1, 0}, {2, 0}}; float hf[2] = {10, 20}; unsigned hu[8];
  cudaMemcpy(p, hp, sizeof hp, cudaMemcpyHostToDevice); cudaMemcpy(f, hf, 8, cudaMemcpyHostToDevice);
  k<<<1, 2>>>(p, f, u);
  cudaMemcpy(hp, p, sizeof hp, cudaMemcpyDeviceToHost); cudaMemcpy(hf, f, 8, cudaMemcpyDeviceToHost);
  cudaMemcpy(hu, u, 32, cudaMemcpyDeviceToHost);
  std::printf("%g %g %x %g\n", hf[0], hf[1], hp[1].n, hp[1].x);
  std::printf("%u %u %u %u %x %x\n", hu[0], hu[4], hu[1], hu[5], hu[6], hu[7]);
}
)");
  expectOutput(program, "11 22 bc 1\n0 1 0 1 7 e7\n");
}

TEST(InlinePtxRuns, ShufflesExitsAndWhatNothingUses) {
  const ProgramText program(R"(
#include <cstdio>
struct P { int n, m; };
__device__ __forceinline__ void barrier(unsigned name, unsigned n) { asm volatile("bar.sync %0,%1;" :: "r"(name), "r"(n)); }
__device__ __forceinline__ void stop() { asm volatile ("brkpt;"); }
template <class T> __device__ T from(T value, unsigned lane) {
  T got; asm("shfl.sync.idx.b32 %0, %1, %2, %3, %4;" : "=r"(got) : "r"(value), "r"(lane), "r"(0x1f), "r"(-1)); return got;
}
__device__ void leave(P *p, int i) {
  for (;;) { p[i].m += 1; if (p[i].m > i % 3) asm volatile("exit;"); }
}
__global__ void k(P *p) {
  const int i = threadIdx.x;
  unsigned up, xored, nth;
  asm("shfl.sync.up.b32 %0, %1, 1, 0x1800, 0xffffffff;" : "=r"(up) : "r"(i));
  asm("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(xored) : "r"(i), "r"(3));
  asm("fns.b32 %0, %1, %2, %3;" : "=r"(nth) : "r"(0xb2), "r"(6), "r"(-1));
  p[i].n = from(i * 10, 5) + 1000 * up + 100000 * xored + (i == 0 ? nth : 0);
  if (i > 3) leave(p, i);
  p[i].m = 9; if (i < 0) stop();
}
int main() {
  P *p, h[64]; cudaMalloc(&p, sizeof h); cudaMemset(p, 0, sizeof h);
  k<<<1, 64>>>(p); cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
  std::printf("%d %d %d %d %d %d %d\n", h[0].n, h[8].n, h[9].n, h[3].m, h[4].m, h[5].m, h[63].m);
}
)");
  expectOutput(program, "300055 1108050 1008050 9 2 3 1\n");
}

} // namespace
} // namespace relayout::instrument
