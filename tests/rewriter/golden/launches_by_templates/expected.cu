// Templates that launch a kernel with what they are given keep their text.
// clang-format off
#include <cstdio>
#include <utility>

#include "double_layout.h"

template <class Kernel, class... Arguments> void forAll(Kernel kernel, int n, Arguments... arguments) {
  kernel<<<n / 128 + 1, 128>>>(n, arguments...);
  if (cudaGetLastError() != cudaSuccess)
    std::printf("a launch with %d arguments failed\n", int(sizeof...(arguments)));
}

template <int Block, class K, class... A> static void launch(K &&kernel, int n, A &&...args) {
  kernel<<<(n + Block - 1) / Block, Block>>>(n, std::forward<A>(args)...);
}

template <class K, class P, class Q> void twice(const K &kernel, int n, P first, const Q &second) {
  for (int k = 0; k < 2; ++k)
    kernel<<<(n + 63) / 64, 64>>>(n, first, second);
}

struct Drop {
  float x, y;
  int hits;
};
#include "drop_layout.h"

__global__ void fall(int n, DropView drops, DoubleView sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    drops.y(i) -= drops.x(i);
    sums[i] += drops.y(i);
  }
}

__global__ void count(int n, ConstDropView from, DropView to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to.hits(i) += from.hits(n - 1 - i) + 1;
}

__global__ void clear(int n, float *values, float value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    values[i] = value;
}

int main() {
  const int n = 400;
  Drop host[n];
  double sums[n];
  for (int i = 0; i < n; ++i)
    host[i] = {0.5f * i, 1.0f + i, i % 5};
  DropView drops, others;
  DoubleView s;
  float *unused;
  dropMalloc(&drops, sizeof(host));
  dropMalloc(&others, sizeof(host));
  doubleMalloc(&s, n * sizeof(double));
  cudaMalloc(&unused, n * sizeof(float));
  doubleMemset(s, 0, n * sizeof(double));
  dropMemcpy(drops, host, sizeof(host), cudaMemcpyHostToDevice);
  dropMemcpy(others, host, sizeof(host), cudaMemcpyHostToDevice);
  forAll(fall, n, drops, s);
  forAll(fall, n - 8, drops + 4, s);
  forAll(clear, n, unused, 2.0f);
  ConstDropView from = others;
  launch<64>(count, n, from, drops);
  twice(fall, n, others, s);
  twice(count, n, from, (drops + 0));
  dropMemcpy(host, drops, sizeof(host), cudaMemcpyDeviceToHost);
  doubleMemcpy(sums, s, n * sizeof(double), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += host[i].y * host[i].hits + sums[i];
  std::printf("%.17g\n", sum);
}
