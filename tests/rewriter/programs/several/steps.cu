#include "particles.h"

#include <cstdio>

#define CHECK(call)                                                                                \
  if (cudaError_t status = (call))                                                                 \
  std::printf("error %d\n", (int)status)

Particle *allocateParticles(int count) {
  Particle *particles = nullptr;
  CHECK(cudaMalloc(&particles, count * sizeof(Particle)));
  return particles;
}

void advance(World &state, int steps) {
  for (int step = 0; step < steps; ++step)
    move<<<blocksFor(state.count), 64>>>(state.particles, world.fields, world.count);
  CHECK(cudaGetLastError());
}
