// Constructors that only device code may call: a header's functions are for both sides.
#include <cstdio>
#include <cuda_runtime.h>

struct Weight {
  float value;
  __device__ Weight() {}
};

struct Cell {
  float height;
  int drops;
  Weight weight;
  __device__ Cell() {}
  __device__ Cell(float start) : height(start), drops(1) { weight.value = 2.0f; }
};
#include "cell_layout.h"

struct Mark {
  Weight weight;
  int drops;
};
#include "mark_layout.h"

__global__ void fill(CellView cells, int n) {
  const int i = threadIdx.x;
  if (i < n)
    cells.store(i, Cell(i * 0.5f));
}

__global__ void rain(CellView cells, MarkView marks, int n) {
  const int i = threadIdx.x;
  if (i >= n)
    return;
  Cell cell = cells.load(i);
  cell.height += cell.drops * cell.weight.value;
  cells.store(i, cell);
  Mark mark = marks.load(i);
  mark.drops += cell.drops;
  marks.store(i, mark);
}

__global__ void sum(ConstCellView cells, ConstMarkView marks, int n, float *total) {
  float heights = 0;
  for (int i = 0; i < n; ++i)
    heights += cells.height(i) + marks.drops(i);
  *total = heights;
}

int main() {
  const int n = 16;
  CellView cells;
  MarkView marks;
  float *total, result;
  cellMalloc(&cells, n * sizeof(Cell));
  markMalloc(&marks, n * sizeof(Mark));
  cudaMalloc(&total, sizeof(float));
  markMemset(marks, 0, n * sizeof(Mark));
  fill<<<1, n>>>(cells, n);
  rain<<<1, n>>>(cells, marks, n);
  sum<<<1, 1>>>(cells, marks, n, total);
  cudaMemcpy(&result, total, sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%g\n", result);
}
