#include "cell.h"

#include <cstdio>

template <class T> void toHost(T *to, const T *from, int n) {
  cudaMemcpy(to, from, n * sizeof(T), cudaMemcpyDeviceToHost);
}

template <class T> __global__ void heat(T *cells, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    cells[i].t += i;
}

int main() {
  const int n = 64;
  Cell *cells, host[n];
  cudaMalloc(&cells, n * sizeof(Cell));
  cudaMemset(cells, 0, n * sizeof(Cell));
  heat<<<2, 32>>>(cells, n);
  stepAway(cells, n);
  toHost(host, cells, n);
  std::printf("%g %d\n", host[3].t, host[2].id);
}
