#include "drifters.h"

#include <cuda_runtime.h>

Drifter *makeDrifters(const Drifter *from, int count) {
  Drifter *drifters = nullptr;
  cudaMalloc(&drifters, count * sizeof(Drifter));
  cudaMemcpy(drifters, from, count * sizeof(Drifter), cudaMemcpyHostToDevice);
  return drifters;
}

void readDrifters(Drifter *to, const Drifter *drifters, int count) {
  cudaMemcpy(to, drifters, count * sizeof(Drifter), cudaMemcpyDeviceToHost);
}

void freeDrifters(Drifter *drifters) { cudaFree(drifters); }
