#include "particles.h"

#define COUNT 3 // not what main.cu calls so

__device__ float slopeAt(const Field *fields, int cell) {
  return fields[cell].slope + 0.001f * fields[cell].value * COUNT;
}

__global__ void move(Particle *particles, const Field *fields, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  Particle &self = particles[i];
  for (int k = 0; k < 2; ++k)
    self.x += slopeAt(fields, self.cell[k]) * self.y;
  self.cell[0] = (self.cell[0] + 1) % count;
}
