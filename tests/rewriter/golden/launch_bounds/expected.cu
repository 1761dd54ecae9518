// Kernels that get launch bounds: behind __global__, wherever their definition has it.
// clang-format off
#include <cstdio>

struct Body {
  float x, y, mass;
};
#include "body_layout.h"

#define KERNEL __global__ void

namespace sky {
__global__ void pull(ConstBodyView bodies, float *sums, int n);

template <class T> __global__ __launch_bounds__(1024, 1) void scale(BodyView bodies, T by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    bodies.x(i) *= by;
}
} // namespace sky

__global__ __launch_bounds__(1024, 1) void
sky::pull(ConstBodyView bodies, float *sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int j = 0; j < n; ++j)
    sum += bodies.mass(j) * (bodies.x(j) - bodies.x(i));
  sums[i] = sum;
}

static __global__ void __launch_bounds__(256) bounded(BodyView bodies, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    bodies.y(i) += 1;
}

KERNEL byMacro(BodyView bodies, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    bodies.y(i) *= 2;
}

__global__ void left(BodyView bodies, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    bodies.y(i) -= 3;
}

int main() {
  const int n = 256;
  static Body host[n];
  for (int i = 0; i < n; ++i)
    host[i] = {float(i), 1.0f, 2.0f};
  BodyView bodies;
  float *sums;
  bodyMalloc(&bodies, sizeof host);
  cudaMalloc(&sums, n * sizeof(float));
  bodyMemcpy(bodies, host, sizeof host, cudaMemcpyHostToDevice);
  sky::scale<<<2, 128>>>(bodies, 0.5f, n);
  bounded<<<2, 128>>>(bodies, n);
  byMacro<<<2, 128>>>(bodies, n);
  left<<<2, 128>>>(bodies, n);
  sky::pull<<<2, 128>>>(bodies, sums, n);
  static float result[n];
  cudaMemcpy(result, sums, sizeof result, cudaMemcpyDeviceToHost);
  bodyMemcpy(host, bodies, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", result[7], host[7].y);
  bodyFree(bodies);
  cudaFree(sums);
}
