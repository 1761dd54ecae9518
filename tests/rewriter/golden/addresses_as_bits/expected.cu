// An address that is cast to bits of the same size names one element or field in any layout.
// clang-format off
#include <cstdio>

#include "double_layout.h"
#include "float_layout.h"

struct Cell {
  double mass;
  float peak;
  int hits;
};
#include "cell_layout.h"

__device__ double addAtomically(DoubleView address, double value) {
  unsigned long long *bits = (unsigned long long *)&*address;
  unsigned long long old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, (unsigned long long)__double_as_longlong(value + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}

__device__ void raise(FloatView address, float value) {
  int *bits = reinterpret_cast<int *>(&*address);
  int old = bits[0];
  while (value > __int_as_float(old)) {
    int assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(value));
    if (old == assumed)
      break;
  }
}

__device__ void raiseField(float *address, float value) {
  int *bits = (int *)address;
  if (value > 0)
    atomicMax(bits, __float_as_int(value));
}

__device__ unsigned bitsOf(ConstFloatView place) { return *(const unsigned *)&*place; }

__global__ void step(CellView cells, DoubleView sums, FloatView peaks, unsigned *out, int columns, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int column = i % columns;
  addAtomically(sums + (column * 4 + 1), 0.5 * i);
  addAtomically(sums + column * 4, 1.0);
  raise(peaks + column, 2.0f * i);
  atomicMax((int *)&*(peaks + column) , __float_as_int(1.5f * i));
  raiseField(&cells.peak(column), 1.5f * i);
  unsigned long long *mass = (unsigned long long *)&cells.mass(column);
  atomicMax(mass, (unsigned long long)__double_as_longlong(1.0 + i));
  atomicAdd((unsigned *)&cells.hits(column), 1u);
  out[i] = bitsOf(peaks + columns) + bitsOf(peaks + columns);
}

int main() {
  const int n = 1000, columns = 10;
  Cell cells[columns];
  double sums[columns * 4];
  float peaks[columns + 1];
  unsigned out[n];
  for (int i = 0; i < columns; ++i)
    cells[i] = {0, 0, i};
  CellView c;
  DoubleView s;
  FloatView p;
  unsigned *o;
  cellMalloc(&c, sizeof(cells));
  doubleMalloc(&s, columns * 4 * sizeof(double));
  floatMalloc(&p, (columns + 1) * sizeof(float));
  cudaMalloc(&o, sizeof(out));
  cellMemcpy(c, cells, sizeof(cells), cudaMemcpyHostToDevice);
  doubleMemset(s, 0, columns * 4 * sizeof(double));
  floatMemset(p, 0, (columns + 1) * sizeof(float));
  step<<<8, 128>>>(c, s, p, o, columns, n);
  cellMemcpy(cells, c, sizeof(cells), cudaMemcpyDeviceToHost);
  doubleMemcpy(sums, s, columns * 4 * sizeof(double), cudaMemcpyDeviceToHost);
  floatMemcpy(peaks, p, (columns + 1) * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(out, o, sizeof(out), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < columns; ++i)
    sum += cells[i].mass + cells[i].peak + cells[i].hits + sums[4 * i] * 3 + sums[4 * i + 1] + peaks[i];
  std::printf("%.17g %u\n", sum, out[7]);
}
