// An address that is cast to bits of the same size names one element or field in any layout.
// clang-format off
#include <cstdio>

struct Cell {
  double mass;
  float peak;
  int hits;
};

__device__ double addAtomically(double *address, double value) {
  unsigned long long *bits = (unsigned long long *)address;
  unsigned long long old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, (unsigned long long)__double_as_longlong(value + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}

__device__ void raise(float *address, float value) {
  int *bits = reinterpret_cast<int *>(address);
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

__device__ unsigned bitsOf(const float *place) { return *(const unsigned *)place; }

__global__ void step(Cell *cells, double *sums, float *peaks, unsigned *out, int columns, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int column = i % columns;
  addAtomically(&sums[column * 4 + 1], 0.5 * i);
  addAtomically(sums + column * 4, 1.0);
  raise(&peaks[column], 2.0f * i);
  atomicMax((int *)(peaks + column) , __float_as_int(1.5f * i));
  raiseField(&cells[column].peak, 1.5f * i);
  unsigned long long *mass = (unsigned long long *)&cells[column].mass;
  atomicMax(mass, (unsigned long long)__double_as_longlong(1.0 + i));
  atomicAdd((unsigned *)&cells[column].hits, 1u);
  out[i] = bitsOf(&peaks[columns]) + bitsOf(peaks + columns);
}

int main() {
  const int n = 1000, columns = 10;
  Cell cells[columns];
  double sums[columns * 4];
  float peaks[columns + 1];
  unsigned out[n];
  for (int i = 0; i < columns; ++i)
    cells[i] = {0, 0, i};
  Cell *c;
  double *s;
  float *p;
  unsigned *o;
  cudaMalloc(&c, sizeof(cells));
  cudaMalloc(&s, columns * 4 * sizeof(double));
  cudaMalloc(&p, (columns + 1) * sizeof(float));
  cudaMalloc(&o, sizeof(out));
  cudaMemcpy(c, cells, sizeof(cells), cudaMemcpyHostToDevice);
  cudaMemset(s, 0, columns * 4 * sizeof(double));
  cudaMemset(p, 0, (columns + 1) * sizeof(float));
  step<<<8, 128>>>(c, s, p, o, columns, n);
  cudaMemcpy(cells, c, sizeof(cells), cudaMemcpyDeviceToHost);
  cudaMemcpy(sums, s, columns * 4 * sizeof(double), cudaMemcpyDeviceToHost);
  cudaMemcpy(peaks, p, (columns + 1) * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(out, o, sizeof(out), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < columns; ++i)
    sum += cells[i].mass + cells[i].peak + cells[i].hits + sums[4 * i] * 3 + sums[4 * i + 1] + peaks[i];
  std::printf("%.17g %u\n", sum, out[7]);
}
