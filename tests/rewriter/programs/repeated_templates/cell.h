#pragma once
#include <cuda_runtime.h>

struct Cell {
  float t;
  int id;
};

void stepAway(Cell *cells, int n);
