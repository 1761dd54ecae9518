// Class templates hold arrays of both instances of a record, of which one is rewritten.
// clang-format off
#include <cstdio>
#include <vector>

template <class T> struct Cell {
  T density, momentum, energy;
};
#include "cell_float_layout.h"

template <class T> struct Slab {
  int count = 0;
  Cell<T> *now = nullptr, *next = nullptr;
};

template <> struct Slab<float> {
  int count = 0;
  CellFloatView now = nullptr, next = nullptr;
};

template <class T> __global__ void fill(Cell<T> *cells, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    cells[i].density = T(1 + i % 3);
    cells[i].momentum = T(i % 5);
    cells[i].energy = T(4);
  }
}

__global__ void fill(CellFloatView cells, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    cells.density(i) = float(1 + i % 3);
    cells.momentum(i) = float(i % 5);
    cells.energy(i) = float(4);
  }
}

template <class T> __global__ void step(const Cell<T> *cells, Cell<T> *next, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    Cell<T> cell = cells[i];
    cell.density += cell.momentum / cell.energy;
    next[i] = cell;
  }
}

__global__ void step(ConstCellFloatView cells, CellFloatView next, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    Cell<float> cell = cells.load(i);
    cell.density += cell.momentum / cell.energy;
    next.store(i, cell);
  }
}

template <class T> void stepAll(std::vector<Slab<T>> &slabs, bool back) {
  for (Slab<T> &slab : slabs) {
    Cell<T> *from = back ? slab.next : slab.now;
    step<T><<<(slab.count + 63) / 64, 64>>>(from, back ? slab.now : slab.next, slab.count);
  }
}

template <> void stepAll<float>(std::vector<Slab<float>> &slabs, bool back) {
  for (Slab<float> &slab : slabs) {
    CellFloatView from = back ? slab.next : slab.now;
    step<<<(slab.count + 63) / 64, 64>>>(from, back ? slab.now : slab.next, slab.count);
  }
}

template <class T> void simulate(int count, int parts) {
  std::vector<Slab<T>> slabs(parts);
  for (int part = 0; part < parts; ++part) {
    Slab<T> &slab = slabs[part];
    slab.count = count;
    cudaMalloc(&slab.now, count * sizeof(Cell<T>));
    cudaMalloc(&slab.next, count * sizeof(Cell<T>));
    fill<T><<<(count + 63) / 64, 64>>>(slab.now, count);
  }
  stepAll(slabs, false);
  stepAll(slabs, true);
  double sum = 0;
  for (auto &slab : slabs) {
    std::vector<Cell<T>> host(count);
    cudaMemcpy(host.data(), slab.now, count * sizeof(host[0]), cudaMemcpyDeviceToHost);
    for (const Cell<T> &cell : host)
      sum += cell.density;
    cudaFree(slab.now);
    cudaFree(slab.next);
  }
  std::printf("%.9g\n", sum);
}

template <> void simulate<float>(int count, int parts) {
  std::vector<Slab<float>> slabs(parts);
  for (int part = 0; part < parts; ++part) {
    Slab<float> &slab = slabs[part];
    slab.count = count;
    cellFloatMalloc(&slab.now, count * sizeof(Cell<float>));
    cellFloatMalloc(&slab.next, count * sizeof(Cell<float>));
    fill<<<(count + 63) / 64, 64>>>(slab.now, count);
  }
  stepAll(slabs, false);
  stepAll(slabs, true);
  double sum = 0;
  for (auto &slab : slabs) {
    std::vector<Cell<float>> host(count);
    cellFloatMemcpy(host.data(), slab.now, count * sizeof(host[0]), cudaMemcpyDeviceToHost);
    for (const Cell<float> &cell : host)
      sum += cell.density;
    cellFloatFree(slab.now);
    cellFloatFree(slab.next);
  }
  std::printf("%.9g\n", sum);
}

int main() {
  simulate<float>(100, 2);
  simulate<double>(100, 2);
}
