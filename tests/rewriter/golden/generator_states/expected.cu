// cuRAND's functions change a state that lies in the element.
#include <cstdio>
#include <cuda_runtime.h>
#include <curand_kernel.h>

struct Walker {
  float x, y;
  int steps;
  curandState state;

  __device__ void wait() {
    float s, c;
    sincosf(curand_uniform(&state), &s, &c);
    x += s;
    y += c;
  }
};
#include "walker_layout.h"

__device__ float drawn(curandState *state) { return curand_uniform(state) - 0.5f; }

__global__ void start(WalkerView walkers, int n, unsigned long long seed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  curand_init(seed, i, 0, &walkers.state(i));
  walkers.x(i) = walkers.y(i) = 0;
  walkers.steps(i) = 0;
}

__global__ void walk(WalkerView walkers, int n, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (int k = 0; k < steps; ++k) {
    const float2 way = curand_normal2(&walkers.state(i));
    walkers.x(i) += way.x;
    walkers.y(i) += way.y * drawn(&walkers.state(i));
    ++walkers.steps(i);
  }
  WalkerView own = walkers + i;
  own.steps() += curand(&own.state()) % 4;
  curandState *state = &own.state();
  skipahead(2, state);
  own.x() += curand_normal(state);
  {
    Walker element2 = walkers.load(i);
    element2.wait();
    walkers.x(i) = element2.x;
    walkers.y(i) = element2.y;
    walkers.state(i) = element2.state;
  }
}

int main() {
  const int n = 80;
  WalkerView walkers;
  walkerMalloc(&walkers, n * sizeof(Walker));
  start<<<3, 32>>>(walkers, n, 7);
  walk<<<3, 32>>>(walkers, n, 5);
  static Walker host[n];
  walkerMemcpy(host, walkers, sizeof(host), cudaMemcpyDeviceToHost);
  std::printf("%.4f %.4f %d\n", host[3].x, host[n - 1].y, host[n - 1].steps);
  walkerFree(walkers);
}
