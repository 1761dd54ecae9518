// Records of pointers, several of one type in a row.
// clang-format off
#include <cstdio>

struct Rows {
  float *low;
  float *high;
  const float *scale;
  const float *shift;
  int *marks;
  int length;
};
#include "rows_layout.h"

__device__ float sum(ConstRowsView r, int i) {
  float *const *high = &r.high(i);
  const float *const *shift = &r.shift(i);
  float total = 0;
  for (int k = 0; k < r.length(i); ++k)
    total += r.low(i)[k] * r.scale(i)[k] + (*high)[k] - (*shift)[k];
  return total;
}

__global__ void fold(RowsView rows, float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  sums[i] = sum(rows, i);
  float *low = rows.low(i);
  rows.low(i) = rows.high(i);
  rows.high(i) = low;
  rows.marks(i)[0] += 1;
  Rows whole = rows.load(i);
  whole.length /= 2;
  rows.store(i, whole);
}

int main() {
  const int n = 100, length = 8;
  float *values, *sums, *out = new float[n];
  int *marks, *seen = new int[n];
  RowsView rows;
  Rows *host = new Rows[n];
  cudaMalloc(&values, 4 * n * length * sizeof(float));
  cudaMalloc(&marks, n * sizeof(int));
  cudaMalloc(&sums, n * sizeof(float));
  rowsMalloc(&rows, n * sizeof(Rows));
  float *all = new float[4 * n * length];
  for (int i = 0; i < 4 * n * length; ++i)
    all[i] = i % 17;
  cudaMemcpy(values, all, 4 * n * length * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(marks, 0, n * sizeof(int));
  for (int i = 0; i < n; ++i) {
    float *own = values + 4 * i * length;
    host[i] = {own, own + length, own + 2 * length, own + 3 * length, marks + i, length};
  }
  rowsMemcpy(rows, host, n * sizeof(Rows), cudaMemcpyHostToDevice);
  for (int k = 0; k < 3; ++k)
    fold<<<(n + 31) / 32, 32>>>(rows, sums, n);
  cudaMemcpy(out, sums, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(seen, marks, n * sizeof(int), cudaMemcpyDeviceToHost);
  printf("%g %d\n", out[7], seen[7]);
}
