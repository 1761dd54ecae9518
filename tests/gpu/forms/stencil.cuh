// SPDX-License-Identifier: Apache-2.0
// A stencil of seven points in C order, and what the programs beside this file share.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

const int kSteps = 20;

inline dim3 blocks(int nx, int ny) { return dim3((nx + 31) / 32, (ny + 3) / 4); }
inline dim3 threads() { return dim3(32, 4); }

inline std::vector<double> start(size_t count) {
  std::vector<double> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<double>(i * 7919 % 1013) / 1013;
  return values;
}

inline void print(const std::vector<double> &values) {
  double sum = 0;
  for (const double value : values)
    sum += value;
  std::printf("%.12g\n", sum);
}

__global__ void step(const double *u, double *v, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
    return;
  for (int z = 1; z < nz - 1; ++z) {
    const int c = (x * ny + y) * nz + z;
    v[c] = 0.4 * u[c] +
           0.1 * (u[c - 1] + u[c + 1] + u[c - nz] + u[c + nz] + u[c - ny * nz] + u[c + ny * nz]);
  }
}
