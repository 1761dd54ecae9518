#include "shared.h"

#include <cstdio>

#define LIMIT 64
__constant__ float factors[2] = {1.0f, 2.0f};
static __device__ float scale(float value) { return factors[1] * value; }
static __global__ void touch(R *p) { p[threadIdx.x].x += scale(1.0f); }

int main() {
  R *p;
  R host[LIMIT];
  for (int i = 0; i < LIMIT; ++i)
    host[i] = R{1.0f * i, 2.0f * i};
  cudaMalloc(&p, LIMIT * sizeof(R));
  cudaMemcpy(p, host, LIMIT * sizeof(R), cudaMemcpyHostToDevice);
  touch<<<1, LIMIT>>>(p);
  run(p, LIMIT);
  cudaMemcpy(host, p, LIMIT * sizeof(R), cudaMemcpyDeviceToHost);
  std::printf("%g %g %g\n", host[1].x, host[1].y, host[63].y);
  cudaFree(p);
}
