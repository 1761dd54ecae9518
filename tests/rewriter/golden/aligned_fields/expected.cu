// Fields that are aligned beyond their types.
#include <cstdio>
#include <cuda_runtime.h>

struct __align__(16) Vector {
  float x, y, z;
};

struct alignas(32) Body {
  alignas(16) float mass;
  __align__(8) char mark;
  alignas(16) float velocity[3];
  alignas(8) int hits[2][2];
  Vector place;
};
#include "body_layout.h"

__global__ void step(BodyView bodies, int n) {
  const int i = threadIdx.x;
  if (i < n) {
    bodies.mass(i) += bodies.velocity(i)[1];
    bodies.hits(i)[1][0] += bodies.mark(i);
    bodies.place(i).y += bodies.place(i).x;
  }
}

int main() {
  const int n = 16;
  Body *host = new Body[n];
  for (int i = 0; i < n; ++i) {
    host[i].mass = i;
    host[i].mark = 'a';
    for (int k = 0; k < 3; ++k)
      host[i].velocity[k] = i + k;
    for (int k = 0; k < 4; ++k)
      host[i].hits[k / 2][k % 2] = k;
    host[i].place = {1.0f, 2.0f, 3.0f * i};
  }
  BodyView bodies;
  bodyMalloc(&bodies, n * sizeof(Body));
  bodyMemcpy(bodies, host, n * sizeof(Body), cudaMemcpyHostToDevice);
  step<<<1, n>>>(bodies, n);
  bodyMemcpy(host, bodies, n * sizeof(Body), cudaMemcpyDeviceToHost);
  std::printf("%g %d %g\n", host[3].mass, host[3].hits[1][0], host[3].place.y);
  bodyFree(bodies);
  delete[] host;
}
