// SPDX-License-Identifier: Apache-2.0
// A program whose device code is linked (-rdc=true): kernels of one file call functions of another.
#pragma once

struct Cell {
  float value;
  float sum;
};

__device__ float valueOf(const Cell *cells, int i);
__device__ void addTo(Cell *cells, int i, float amount);

// Of more than one file: linking keeps one.
__device__ inline void doubleSum(Cell *cells, int i) { cells[i].sum *= 2.0f; }

void launchElsewhere(Cell *cells, int blocks, int threads);
void launchUntraced(Cell *cells, int blocks, int threads);
