// Kernel templates over the record with shared memory and constants of their own.
#include <cstdio>

struct Body {
  float x, m;
  int id;
};
#include "body_layout.h"

template <class T, int kBlock>
__global__ void centre(const T *bodies, float *sums, int n) {
  __shared__ float partial[kBlock];
  __shared__ T first;
  extern __shared__ float masses[];
  static constexpr int kLast = 1;
  int i = blockIdx.x * kBlock + threadIdx.x;
  if (threadIdx.x == 0)
    first = bodies[i];
  partial[threadIdx.x] = i < n ? bodies[i].x * bodies[i].m : 0;
  masses[threadIdx.x] = i < n ? bodies[i].m : 0;
  __syncthreads();
  for (int half = kBlock / 2; half >= kLast; half /= 2) {
    if (threadIdx.x < half) {
      partial[threadIdx.x] += partial[threadIdx.x + half];
      masses[threadIdx.x] += masses[threadIdx.x + half];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0)
    sums[blockIdx.x] = partial[0] / masses[0] + first.id;
}

__global__ void centre(ConstBodyView bodies, float *sums, int n) {
  __shared__ float partial[64];
  __shared__ Body first;
  extern __shared__ float masses[];
  static constexpr int kLast = 1;
  int i = blockIdx.x * 64 + threadIdx.x;
  if (threadIdx.x == 0)
    first = bodies.load(i);
  partial[threadIdx.x] = i < n ? bodies.x(i) * bodies.m(i) : 0;
  masses[threadIdx.x] = i < n ? bodies.m(i) : 0;
  __syncthreads();
  for (int half = 64 / 2; half >= kLast; half /= 2) {
    if (threadIdx.x < half) {
      partial[threadIdx.x] += partial[threadIdx.x + half];
      masses[threadIdx.x] += masses[threadIdx.x + half];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0)
    sums[blockIdx.x] = partial[0] / masses[0] + first.id;
}

int main() {
  const int n = 200, blocks = 4;
  Body host[n];
  BodyView bodies;
  float sums[blocks], *result;
  for (int i = 0; i < n; ++i)
    host[i] = {i * 0.5f, 1.0f + i % 3, i};
  bodyMalloc(&bodies, n * sizeof(Body));
  cudaMalloc(&result, blocks * sizeof(float));
  bodyMemcpy(bodies, host, n * sizeof(Body), cudaMemcpyHostToDevice);
  centre<<<blocks, 64, 64 * sizeof(float)>>>(bodies, result, n);
  cudaMemcpy(sums, result, blocks * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", sums[0], sums[3]);
  bodyFree(bodies);
  cudaFree(result);
}
