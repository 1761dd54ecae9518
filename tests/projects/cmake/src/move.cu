#include "drifters.h"
#include "wind.h"

#include <cuda_runtime.h>

namespace {

constexpr int kCells = 64;

__device__ float square(float value) { return value * value; }

__global__ void step(Drifter *drifters, const Wind *wind, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  const Wind &here = wind[drifters[i].cell];
  drifters[i].u += 0.1f * (here.east - drifters[i].u);
  drifters[i].v += 0.1f * (here.north - drifters[i].v);
  drifters[i].x += drifters[i].u;
  drifters[i].y += drifters[i].v;
  drifters[i].cell = int(square(drifters[i].x)) % kCells;
}

} // namespace

void move(Drifter *drifters, int count, int steps) {
  Wind *wind = makeWind(kCells);
  for (int i = 0; i < steps; ++i)
    step<<<(count + 127) / 128, 128>>>(drifters, wind, count);
  freeWind(wind);
}
