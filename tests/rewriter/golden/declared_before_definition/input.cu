// Functions and methods that are declared before the record is defined.
// clang-format off
#include <cstdio>

struct Body;
__global__ void step(Body *bodies, int n);
__device__ float pull(const Body *bodies, int i, int j);

/// With methods that see all of them.
struct Body {
  float x, v, mass;
  __device__ float force(const Body *all, int n) const;
  static __device__ Body *at(Body *all, int i);
};

__device__ float Body::force(const Body *all, int n) const {
  float sum = 0;
  for (int j = 0; j < n; ++j) sum += all[j].mass * (all[j].x - x);
  return sum;
}
__device__ Body *Body::at(Body *all, int i) { return all + i; }

__device__ float pull(const Body *bodies, int i, int j) { return bodies[j].mass * (bodies[j].x - bodies[i].x); }

__global__ void step(Body *bodies, int n) {
  int i = threadIdx.x;
  if (i < n) {
    Body *own = Body::at(bodies, i);
    own->v += 0.01f * bodies[i].force(bodies, 0) + pull(bodies, i, i) + own->mass;
  }
}

int main() {
  const int n = 64;
  Body host[n], *bodies;
  for (int i = 0; i < n; ++i) host[i] = {1.0f * i, 0, 2};
  cudaMalloc(&bodies, sizeof host);
  cudaMemcpy(bodies, host, sizeof host, cudaMemcpyHostToDevice);
  step<<<1, n>>>(bodies, n);
  cudaMemcpy(host, bodies, sizeof host, cudaMemcpyDeviceToHost);
  printf("%g\n", host[7].v);
  cudaFree(bodies);
}
