// SPDX-License-Identifier: Apache-2.0
// Lambdas in lowered programs, in host code and in kernels.
#include "lowered_test.h"

#include <gmock/gmock.h>

namespace relayout::instrument {
namespace {

TEST(Lowered, LambdasOfMainMayReturnBeforeTheirEnd) {
  expectOutput(ProgramText(std::string(kPrelude) + R"(
template <class F> __global__ void each(int n, F body) { if (threadIdx.x < n) body(threadIdx.x); }
int main() {
  P *p = device<P>(4);
  each<<<1, 4>>>(4, [=] __device__(int i) {
    p[i].n = 1;
    if (i % 2) return;
    p[i].n += i;
  });
  P back[4]; cudaMemcpy(back, p, sizeof back, cudaMemcpyDeviceToHost);
  std::printf("%d %d %d %d\n", back[0].n, back[1].n, back[2].n, back[3].n);
}
)"),
               "1 1 3 1\n");
}

/// What a lambda's list names is no expression.
TEST(Lowered, LambdasOfKernelsMayHoldElementsAndObjects) {
  expectOutput(ProgramText(std::string(kPrelude) + R"(
struct Reader {
  P *p; int by;
  __device__ int copied(int i) const { auto read = [=, *this] { return p[i].n + by; }; return read(); }
  __device__ int own(int i) const { auto read = [*this](int k) { return p[k].n * by; }; return read(i); }
};
__global__ void read(Reader reader, int *out) {
  const int i = threadIdx.x;
  P &here = reader.p[i];
  const int &n = reader.p[i].n;
  auto all = [=] { return here.n + n; };
  auto some = [here, &n, more = reader.p[i].n + 1] { return here.n + n + more; };
  here.n += 100;
  out[i] = all() * 1000 + some();
  out[4 + i] = reader.copied(i) + reader.own(i);
}
int main() {
  P *p = device<P>(4); int *out = device<int>(8), back[8];
  P host[4] = {}; for (int i = 0; i < 4; ++i) host[i].n = i;
  cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);
  read<<<1, 4>>>({p, 2}, out);
  cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost);
  for (int one : back) std::printf("%d ", one);
}
)"),
               "101 2104 4107 6110 302 305 308 311 ");
}

} // namespace
} // namespace relayout::instrument
