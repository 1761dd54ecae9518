// SPDX-License-Identifier: Apache-2.0
// Prints what a trace must have counted; see cells.h.
//   linked
#include "cells.h"

#include <cstdio>
#include <cuda_runtime.h>

// A read of its own, and a write elsewhere.
__global__ void halfHere(Cell *cells) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  addTo(cells, i, cells[i].value);
}

// All it accesses is elsewhere: a read in a loop, a write.
__global__ void allElsewhere(Cell *cells, int repeats) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < repeats; ++k)
    sum += valueOf(cells, i);
  addTo(cells, i, sum);
}

__global__ void doubleHere(Cell *cells) { doubleSum(cells, blockIdx.x * blockDim.x + threadIdx.x); }

int main() {
  const int blocks = 4, threads = 128, cellCount = blocks * threads;
  Cell *cells = nullptr;
  cudaMalloc(&cells, cellCount * sizeof(Cell));
  cudaMemset(cells, 0, cellCount * sizeof(Cell));
  halfHere<<<blocks, threads>>>(cells);
  launchUntraced(cells, blocks, threads);
  allElsewhere<<<blocks, threads>>>(cells, 5);
  launchUntraced(cells, blocks, threads);
  doubleHere<<<blocks, threads>>>(cells);
  launchElsewhere(cells, blocks, threads);
  const cudaError_t status = cudaDeviceSynchronize();
  Cell first{};
  cudaMemcpy(&first, cells, sizeof first, cudaMemcpyDeviceToHost);
  std::printf("%s, sum %g\n", cudaGetErrorString(status), first.sum);
  // addTo() reads and writes. The kernels of untraced.cu count nothing.
  const long warps = cellCount / 32;
  std::printf("expect launches 4 warp_accesses %ld\n", warps * ((1 + 2) + (5 + 2) + 2 + 2));
  return status == cudaSuccess ? 0 : 1;
}
