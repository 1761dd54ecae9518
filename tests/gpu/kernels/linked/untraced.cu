// SPDX-License-Identifier: Apache-2.0
// A kernel without probes that calls functions with probes; see cells.h.
#include "cells.h"

__global__ void untraced(Cell *cells) { addTo(cells, blockIdx.x * blockDim.x + threadIdx.x, 3.0f); }

void launchUntraced(Cell *cells, int blocks, int threads) { untraced<<<blocks, threads>>>(cells); }
