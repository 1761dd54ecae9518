#include "wind.h"

#include <cuda_runtime.h>

static __global__ void fill(Wind *wind, int cells) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < cells) {
    wind[i].east = 0.5f * (i % 7);
    wind[i].north = 0.25f * (i % 5);
  }
}

Wind *makeWind(int cells) {
  Wind *wind = nullptr;
  cudaMalloc(&wind, cells * sizeof(Wind));
  cudaMemset(wind, 0, cells * sizeof(Wind));
  fill<<<(cells + 63) / 64, 64>>>(wind, cells);
  return wind;
}

void freeWind(Wind *wind) { cudaFree(wind); }
