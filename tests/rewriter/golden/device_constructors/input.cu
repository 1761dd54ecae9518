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

struct Mark {
  Weight weight;
  int drops;
};

__global__ void fill(Cell *cells, int n) {
  const int i = threadIdx.x;
  if (i < n)
    cells[i] = Cell(i * 0.5f);
}

__global__ void rain(Cell *cells, Mark *marks, int n) {
  const int i = threadIdx.x;
  if (i >= n)
    return;
  Cell cell = cells[i];
  cell.height += cell.drops * cell.weight.value;
  cells[i] = cell;
  Mark mark = marks[i];
  mark.drops += cell.drops;
  marks[i] = mark;
}

__global__ void sum(const Cell *cells, const Mark *marks, int n, float *total) {
  float heights = 0;
  for (int i = 0; i < n; ++i)
    heights += cells[i].height + marks[i].drops;
  *total = heights;
}

int main() {
  const int n = 16;
  Cell *cells;
  Mark *marks;
  float *total, result;
  cudaMalloc(&cells, n * sizeof(Cell));
  cudaMalloc(&marks, n * sizeof(Mark));
  cudaMalloc(&total, sizeof(float));
  cudaMemset(marks, 0, n * sizeof(Mark));
  fill<<<1, n>>>(cells, n);
  rain<<<1, n>>>(cells, marks, n);
  sum<<<1, 1>>>(cells, marks, n, total);
  cudaMemcpy(&result, total, sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%g\n", result);
}
