// Structs that hold a pointer and are initialised by constants.
#include <cstdio>
#include <cuda_runtime.h>

struct Cell {
  float mass;
  int kind;
};

struct Grid {
  Cell *cells;
  int n;
};

constexpr Grid kEmpty{nullptr, 0};
static const Grid kNone = {};
__constant__ Grid grid = {nullptr, 3};
__device__ Grid last = {0, 4};

__global__ void fill(Grid over, int start) {
  const int i = threadIdx.x;
  if (i < over.n) {
    over.cells[i].mass = i + start;
    over.cells[i].kind = grid.n + last.n;
    if (grid.cells)
      over.cells[i].mass += grid.cells[i].mass;
  }
}

int main() {
  Cell host[16];
  Grid work = kEmpty;
  work.n = 16;
  if (!kNone.cells)
    cudaMalloc(&work.cells, 16 * sizeof(Cell));
  fill<<<1, 16>>>(work, 1);
  cudaMemcpyToSymbol(grid, &work, sizeof(Grid));
  fill<<<1, 16>>>(work, 2);
  cudaMemcpy(host, work.cells, 16 * sizeof(Cell), cudaMemcpyDeviceToHost);
  std::printf("%g %d\n", host[3].mass, host[3].kind);
  cudaFree(work.cells);
}
