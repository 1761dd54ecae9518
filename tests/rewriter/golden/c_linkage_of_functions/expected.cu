// Functions with C linkage, in a program without a unit in C.
#include <cstdio>

struct Cell {
  float value;
  int age;
};
#include "cell_layout.h"

__global__ void grow(CellView cells, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    cells.value(i) += 0.5f * i;
    ++cells.age(i);
  }
}

extern "C" {
CellView make(int n) {
  CellView cells;
  cellMalloc(&cells, n * sizeof(Cell));
  cellMemset(cells, 0, n * sizeof(Cell));
  return cells;
}

void run(CellView cells, int n) { grow<<<(n + 63) / 64, 64>>>(cells, n); }
}

int main() {
  const int n = 100;
  Cell host[n];
  CellView cells = make(n);
  run(cells, n);
  run(cells, n);
  cellMemcpy(host, cells, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%g %d\n", host[7].value, host[8].age);
  cellFree(cells);
}
