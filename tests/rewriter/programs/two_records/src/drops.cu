#include "drops.h"

static __global__ void step(Drop *drops, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    drops[i].x -= drops[i].mass * drops[i].kind;
}

void fall(Drop *drops, int count) { step<<<(count + 63) / 64, 64>>>(drops, count); }
