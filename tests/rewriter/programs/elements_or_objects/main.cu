#include "body.h"

#include <cstdio>

__global__ void step(Body *bodies) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Body own;
  assign(&own, &bodies[i]);
  update(&own, massOf(bodies + i));
  update(bodies + i, massOf(&own) + own.y);
}

int main() {
  const int n = 128;
  Body host[n], *bodies;
  for (int i = 0; i < n; ++i)
    host[i] = {i * 0.5f, 1.0f - i, 0.25f, i};
  cudaMalloc(&bodies, sizeof(host));
  cudaMemcpy(bodies, host, sizeof(host), cudaMemcpyHostToDevice);
  step<<<n / 32, 32>>>(bodies);
  cudaMemcpy(host, bodies, sizeof(host), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += host[i].x + host[i].hits;
  std::printf("%g\n", sum);
  cudaFree(bodies);
}
