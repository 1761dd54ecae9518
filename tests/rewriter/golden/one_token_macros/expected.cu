// Macros that stand for one token: a type, and an array.
#include <cstdio>

#include "float2_layout.h"

struct Body {
  float x, y;
  int hits;
};
#include "body_layout.h"

#define Particle Body
#define Tuple Vector
#define Vector float2
#define BODIES bodies

__global__ void move(BodyView bodies, ConstFloat2View velocities, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  BODIES.x(i) += velocities.x(i);
  BODIES.hits(i)++;
}

int main() {
  const int count = 100;
  Particle host[count];
  BodyView bodies;
  Float2View velocities;
  Tuple given[count];
  bodyMalloc(&bodies, count * sizeof(Particle));
  float2Malloc(&velocities, count * sizeof(Tuple));
  for (int i = 0; i < count; ++i) {
    host[i] = {i * 1.0f, 2, i};
    given[i] = {i * 0.5f, 0};
  }
  bodyMemcpy(BODIES, host, count * sizeof(Particle), cudaMemcpyHostToDevice);
  float2Memcpy(velocities, given, count * sizeof(Tuple), cudaMemcpyHostToDevice);
  move<<<1, 128>>>(bodies, velocities, count);
  bodyMemcpy(host, bodies, count * sizeof(Particle), cudaMemcpyDeviceToHost);
  std::printf("%g %d\n", host[7].x, host[9].hits);
  bodyFree(bodies);
  float2Free(velocities);
}
