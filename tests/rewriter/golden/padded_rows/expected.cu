// Rows that end inside lines: as numbered, and those of the slowest index.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "double_layout.h"
#include "float_layout.h"

__global__ void blend(FloatView to, ConstFloatView from, int nx, int ny) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y;
  if (x < nx && y < ny)
    to.at(y, x) = 0.5f * (to.at(y, x) + from.at(y, x));
}

__global__ void sweep(DoubleView rows, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (int k = 1; k < 12; ++k)
    rows.at(i, k) += 0.25 * rows.at(i, k - 1);
}

int main(int argc, char **argv) {
  const int nx = argc > 1 ? std::atoi(argv[1]) : 70, ny = 9, n = 45;
  std::vector<float> cells(nx * ny);
  for (int i = 0; i < nx * ny; ++i)
    cells[i] = i;
  FloatView to, from;
  floatMalloc(&to, nx * ny * sizeof(float), nx);
  floatMalloc(&from, nx * ny * sizeof(float), nx);
  floatMemset(to, 0, nx * ny * sizeof(float));
  floatMemcpy(from, cells.data(), nx * ny * sizeof(float), cudaMemcpyHostToDevice);
  blend<<<dim3((nx + 31) / 32, ny), 32>>>(to, from, nx, ny);
  floatMemcpy(cells.data(), to, nx * ny * sizeof(float), cudaMemcpyDeviceToHost);

  std::vector<double> values(n * 12, 1.0);
  DoubleView rows;
  doubleMalloc(&rows, n * 12 * sizeof(double));
  doubleMemcpy(rows, values.data(), n * 12 * sizeof(double), cudaMemcpyHostToDevice);
  sweep<<<(n + 31) / 32, 32>>>(rows, n);
  doubleMemcpy(values.data(), rows, n * 12 * sizeof(double), cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", cells[nx * ny - 1], values[n * 12 - 1]);
  floatFree(to);
  floatFree(from);
  doubleFree(rows);
}
