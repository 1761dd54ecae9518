// clang-format off
#include "arrays.h"

__global__ void step(Particle *p, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  move(p, i, dt);
  slow(p, i);
  if (place(p, i) > 3)
    slow(p, i);
}

void advance(Particle *p, int n) {
  step<<<(n + 127) / 128, 128>>>(p, n, 0.5f);
  free(toHost(p, n));
}
