// Two structs whose members share functions: only together they are two types each.
// clang-format off
#include <cstdio>

struct Cells { int n; float *v, *m; };
struct CellsDevice { int n; float *v, *m; };
#include "cells_device_layout.h"
struct Edges { int n; float *w; };
struct EdgesDevice { int n; float *w; };

template <class T> T *toDevice(const T *from, int n) {
  T *p;
  cudaMalloc(&p, n * sizeof(T));
  cudaMemcpy(p, from, n * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}

CellsDeviceView toDevice(const CellsDevice *from, int n) {
  CellsDeviceView p;
  cellsDeviceMalloc(&p, n * sizeof(CellsDevice));
  cellsDeviceMemcpy(p, from, n * sizeof(CellsDevice), cudaMemcpyHostToDevice);
  return p;
}

__global__ void step(CellsDeviceView cells, EdgesDevice *edges) {
  const int i = threadIdx.x;
  if (i < cells.n())
    cells.v()[i] += cells.m()[i] * edges->w[i];
}

CellsDeviceView copyOf(const Cells *host) {
  CellsDevice *copy = new CellsDevice;
  copy->n = host->n;
  copy->v = toDevice(host->v, host->n);
  copy->m = toDevice(host->m, host->n);
  CellsDeviceView cells = toDevice(copy, 1);
  delete copy;
  return cells;
}

EdgesDevice *copyOf(const Edges *host) {
  EdgesDevice *copy = new EdgesDevice;
  copy->n = host->n;
  copy->w = toDevice(host->w, host->n);
  EdgesDevice *edges = toDevice(copy, 1);
  delete copy;
  return edges;
}

int main() {
  const int n = 64;
  Cells *cells = new Cells{n, new float[n], new float[n]};
  Edges *edges = new Edges{n, new float[n]};
  for (int i = 0; i < n; ++i) {
    cells->v[i] = i;
    cells->m[i] = 0.5f * i;
    edges->w[i] = 2;
  }
  CellsDeviceView onDevice = copyOf(cells);
  step<<<1, n>>>(onDevice, copyOf(edges));
  CellsDevice back;
  cellsDeviceMemcpy(&back, onDevice, sizeof(CellsDevice), cudaMemcpyDeviceToHost);
  cudaMemcpy(cells->v, back.v, n * sizeof(float), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += cells->v[i];
  std::printf("%g\n", sum);
}
