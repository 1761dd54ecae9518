// SPDX-License-Identifier: Apache-2.0
// What the kernels of other files call, and a kernel; see cells.h.
#include "cells.h"

__device__ float valueOf(const Cell *cells, int i) { return cells[i].value; }

__device__ void addTo(Cell *cells, int i, float amount) { cells[i].sum += amount + 1.0f; }

__global__ void here(Cell *cells) { doubleSum(cells, blockIdx.x * blockDim.x + threadIdx.x); }

void launchElsewhere(Cell *cells, int blocks, int threads) { here<<<blocks, threads>>>(cells); }
