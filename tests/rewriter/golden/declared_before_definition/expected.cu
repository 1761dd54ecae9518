// Functions and methods that are declared before the record is defined.
// clang-format off
#include <cstdio>

class BodyView;
class ConstBodyView;
struct Body;
__global__ void step(BodyView bodies, int n);
__device__ float pull(ConstBodyView bodies, int i, int j);

/// With methods that see all of them.
struct Body {
  float x, v, mass;
  __device__ float force(ConstBodyView all, int n) const;
  static __device__ BodyView at(BodyView all, int i);
};
#include "body_layout.h"

__device__ float Body::force(ConstBodyView all, int n) const {
  float sum = 0;
  for (int j = 0; j < n; ++j) sum += all.mass(j) * (all.x(j) - x);
  return sum;
}
__device__ BodyView Body::at(BodyView all, int i) { return all + i; }

__device__ float pull(ConstBodyView bodies, int i, int j) { return bodies.mass(j) * (bodies.x(j) - bodies.x(i)); }

__global__ void step(BodyView bodies, int n) {
  int i = threadIdx.x;
  if (i < n) {
    BodyView own = Body::at(bodies, i);
    own.v() += 0.01f * bodies.load(i).force(bodies, 0) + pull(bodies, i, i) + own.mass();
  }
}

int main() {
  const int n = 64;
  Body host[n];
  BodyView bodies;
  for (int i = 0; i < n; ++i) host[i] = {1.0f * i, 0, 2};
  bodyMalloc(&bodies, sizeof host);
  bodyMemcpy(bodies, host, sizeof host, cudaMemcpyHostToDevice);
  step<<<1, n>>>(bodies, n);
  bodyMemcpy(host, bodies, sizeof host, cudaMemcpyDeviceToHost);
  printf("%g\n", host[7].v);
  bodyFree(bodies);
}
