// Kernels that get launch bounds: behind __global__, wherever their definition has it.
// clang-format off
#include <cstdio>

struct Body {
  float x, y, mass;
};

#define KERNEL __global__ void

namespace sky {
__global__ void pull(const Body *bodies, float *sums, int n);

template <class T> __global__ void scale(Body *bodies, T by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    bodies[i].x *= by;
}
} // namespace sky

__global__ void
sky::pull(const Body *bodies, float *sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int j = 0; j < n; ++j)
    sum += bodies[j].mass * (bodies[j].x - bodies[i].x);
  sums[i] = sum;
}

static __global__ void __launch_bounds__(256) bounded(Body *bodies, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    bodies[i].y += 1;
}

KERNEL byMacro(Body *bodies, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    bodies[i].y *= 2;
}

__global__ void left(Body *bodies, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    bodies[i].y -= 3;
}

int main() {
  const int n = 256;
  static Body host[n];
  for (int i = 0; i < n; ++i)
    host[i] = {float(i), 1.0f, 2.0f};
  Body *bodies;
  float *sums;
  cudaMalloc(&bodies, sizeof host);
  cudaMalloc(&sums, n * sizeof(float));
  cudaMemcpy(bodies, host, sizeof host, cudaMemcpyHostToDevice);
  sky::scale<<<2, 128>>>(bodies, 0.5f, n);
  bounded<<<2, 128>>>(bodies, n);
  byMacro<<<2, 128>>>(bodies, n);
  left<<<2, 128>>>(bodies, n);
  sky::pull<<<2, 128>>>(bodies, sums, n);
  static float result[n];
  cudaMemcpy(result, sums, sizeof result, cudaMemcpyDeviceToHost);
  cudaMemcpy(host, bodies, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", result[7], host[7].y);
  cudaFree(bodies);
  cudaFree(sums);
}
