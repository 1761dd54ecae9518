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

__device__ float drawn(curandState *state) { return curand_uniform(state) - 0.5f; }

__global__ void start(Walker *walkers, int n, unsigned long long seed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  curand_init(seed, i, 0, &walkers[i].state);
  walkers[i].x = walkers[i].y = 0;
  walkers[i].steps = 0;
}

__global__ void walk(Walker *walkers, int n, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (int k = 0; k < steps; ++k) {
    const float2 way = curand_normal2(&walkers[i].state);
    walkers[i].x += way.x;
    walkers[i].y += way.y * drawn(&walkers[i].state);
    ++walkers[i].steps;
  }
  Walker &own = walkers[i];
  own.steps += curand(&own.state) % 4;
  curandState *state = &own.state;
  skipahead(2, state);
  own.x += curand_normal(state);
  walkers[i].wait();
}

int main() {
  const int n = 80;
  Walker *walkers;
  cudaMalloc(&walkers, n * sizeof(Walker));
  start<<<3, 32>>>(walkers, n, 7);
  walk<<<3, 32>>>(walkers, n, 5);
  static Walker host[n];
  cudaMemcpy(host, walkers, sizeof(host), cudaMemcpyDeviceToHost);
  std::printf("%.4f %.4f %d\n", host[3].x, host[n - 1].y, host[n - 1].steps);
  cudaFree(walkers);
}
