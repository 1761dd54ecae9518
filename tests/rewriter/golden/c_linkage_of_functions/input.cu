// Functions with C linkage, in a program without a unit in C.
#include <cstdio>

struct Cell {
  float value;
  int age;
};

__global__ void grow(Cell *cells, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    cells[i].value += 0.5f * i;
    ++cells[i].age;
  }
}

extern "C" {
Cell *make(int n) {
  Cell *cells;
  cudaMalloc(&cells, n * sizeof(Cell));
  cudaMemset(cells, 0, n * sizeof(Cell));
  return cells;
}

void run(Cell *cells, int n) { grow<<<(n + 63) / 64, 64>>>(cells, n); }
}

int main() {
  const int n = 100;
  Cell host[n], *cells = make(n);
  run(cells, n);
  run(cells, n);
  cudaMemcpy(host, cells, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%g %d\n", host[7].value, host[8].age);
  cudaFree(cells);
}
