// Pointers of several types in lists of untyped ones, which are freed.
// clang-format off
#include <cstdio>
#include <initializer_list>
#define CHECK(call) do { if ((call) != cudaSuccess) std::printf("%s\n", #call); } while (0)

struct Cell { float heat; int age; };
#include "cell_layout.h"
struct State { CellView cells; float *sums; };

__global__ void step(ConstCellView from, CellView to, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to.heat(i) = from.heat(i) + 1;
  to.age(i) = from.age(i) + i;
  sums[i] = to.heat(i);
}

int main() {
  const int n = 256;
  CellView a;
  CellView b;
  CellView c;
  CellView more;
  Cell host[n] = {};
  State state;
  cellMalloc(&a, n * sizeof(Cell));
  cellMalloc(&b, n * sizeof(Cell));
  cellMalloc(&c, n * sizeof(Cell));
  cellMalloc(&more, n * sizeof(Cell));
  cellMalloc(&state.cells, n * sizeof(Cell));
  cudaMalloc(&state.sums, n * sizeof(float));
  cellMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
  step<<<1, n>>>(a, b, state.sums);
  step<<<1, n>>>(b, more, state.sums);
  step<<<1, n>>>(more, c, state.sums);
  step<<<1, n>>>(c, state.cells, state.sums);
  cellMemcpy(host, state.cells, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%g %d\n", host[9].heat, host[9].age);
  for (void *p : {a.allocation(), b.allocation()})
    CHECK(cudaFree(p));
  for (void *p : std::initializer_list<void *>{more.allocation(), state.sums})
    if (p)
      cudaFree(p);
  void *rest[] = {c.allocation(), state.cells.allocation()};
  for (auto p : rest) {
    cudaFree(p);
  }
}
