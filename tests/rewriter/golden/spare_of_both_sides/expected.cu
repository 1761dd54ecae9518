#include <cstdio>
#include <cstdlib>

struct Cell {
  float heat;
  float conducts;
};
#include "cell_layout.h"

__global__ void step(ConstCellView now, CellView next, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < count - 1) {
    next.heat(i) = now.heat(i) + now.conducts(i) * (now.heat(i - 1) - 2 * now.heat(i) + now.heat(i + 1));
    next.conducts(i) = now.conducts(i);
  }
}

void stepOnHost(const Cell *now, Cell *next, int count) {
  for (int i = 1; i < count - 1; ++i) {
    next[i].heat = now[i].heat + now[i].conducts * (now[i - 1].heat - 2 * now[i].heat + now[i + 1].heat);
    next[i].conducts = now[i].conducts;
  }
}

int main() {
  const int count = 1000, steps = 5;
  const size_t bytes = count * sizeof(Cell);
  Cell *host;
  Cell *hostNext;
  CellView cells;
  CellView next;
  Cell *spare;
  CellView spare2;
  host = (Cell *)malloc(bytes);
  hostNext = (Cell *)malloc(bytes);
  cellMalloc(&cells, bytes);
  cellMalloc(&next, bytes);
  for (int i = 0; i < count; ++i)
    host[i] = hostNext[i] = {float(i * 7 % 100), 0.1f};
  cellMemcpy(cells, host, bytes, cudaMemcpyHostToDevice);
  cellMemcpy(next, host, bytes, cudaMemcpyHostToDevice);

  // The reference.
  for (int s = 0; s < steps; ++s) {
    stepOnHost(host, hostNext, count);
    spare = host;
    host = hostNext;
    hostNext = spare;
  }
  for (int s = 0; s < steps; ++s) {
    step<<<(count + 255) / 256, 256>>>(cells, next, count);
    spare2 = cells;
    cells = next;
    next = spare2;
  }
  cellMemcpy(hostNext, cells, bytes, cudaMemcpyDeviceToHost);
  float most = 0;
  for (int i = 0; i < count; ++i) {
    float error = host[i].heat - hostNext[i].heat;
    most = error * error > most ? error * error : most;
  }
  printf("%g\n", most);
  free(host);
  free(hostNext);
  cellFree(cells);
  cellFree(next);
}
