#include "waves.h"

static __global__ void step(Wave *waves, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    waves[i].height += waves[i].speed * waves[i].phase;
}

void run(Wave *waves, int count, int steps) {
  for (int i = 0; i < steps; ++i)
    step<<<(count + 63) / 64, 64>>>(waves, count);
}
