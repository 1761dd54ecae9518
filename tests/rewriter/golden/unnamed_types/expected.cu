// Members whose types have no names.
// clang-format off
#include <cstdio>

struct Cell {
  double heat;
  struct {
    float u, v;
  } flow;
  enum { Solid, Fluid } kind;
  struct {
    int a;
  } marks[2];
  union {
    float value;
    int bits;
  } code;
};
#include "cell_layout.h"

__global__ void step(CellView c, int n) {
  int i = threadIdx.x;
  if (i >= n)
    return;
  c.flow(i).u += 0.5f * c.flow(i).v;
  if (c.kind(i) == Cell::Fluid)
    c.heat(i) *= 0.75;
  else
    c.kind(i) = Cell::Fluid;
  c.marks(i)[i % 2].a = i;
  c.code(i).bits ^= 1;
  Cell next = c.load(i);
  next.heat += next.code.value;
  c.store(i, next);
}

int main() {
  const int n = 50;
  Cell host[n];
  for (int i = 0; i < n; ++i) {
    host[i].heat = 0.5 * i;
    host[i].flow = {1.0f * i, 2};
    host[i].kind = i % 3 ? Cell::Solid : Cell::Fluid;
    host[i].marks[0].a = host[i].marks[1].a = -i;
    host[i].code.value = 1.5f;
  }
  CellView c;
  cellMalloc(&c, n * sizeof(Cell));
  cellMemcpy(c, host, n * sizeof(Cell), cudaMemcpyHostToDevice);
  step<<<1, 64>>>(c, n);
  cellMemcpy(host, c, n * sizeof(Cell), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum +=
        host[i].heat + host[i].flow.u + host[i].kind + host[i].marks[1].a + host[i].code.bits % 64;
  std::printf("%.9g\n", sum);
}
