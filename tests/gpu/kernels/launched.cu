// SPDX-License-Identifier: Apache-2.0
// The kernels that launch_forms.cu launches.
#include "launched.h"

// One read and one write a thread.
__global__ void touch(Cell *cells) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  cells[i].sum = cells[i].value + 1.0f;
}

// `repeats` reads a thread.
__global__ void readMuch(Cell *cells, int repeats) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < repeats; ++k)
    sum += cells[(i + k) & (kCells - 1)].value;
  if (sum < 0.0f)
    cells[i & (kCells - 1)].sum = sum;
}

// Runs until the clock has gone on by so much.
__global__ void linger(Cell *cells, long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
  cells[threadIdx.x].sum = cells[threadIdx.x].value;
}

// Writes where there is nothing.
__global__ void fail(Cell *cells) { cells[threadIdx.x + (1ull << 44)].sum = 1.0f; }
