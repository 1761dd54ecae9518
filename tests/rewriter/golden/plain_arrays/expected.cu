// SPDX-License-Identifier: Apache-2.0
// Plain arrays in the order that suits the kernels: bodies stay, declarations and calls change.
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "double_layout.h"
#include "float_layout.h"
#include "unsigned_int_layout.h"

#define CHECK(call)                                                                                \
  do {                                                                                             \
    if ((call) != cudaSuccess) {                                                                   \
      std::printf("failed: %s\n", #call);                                                          \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

typedef float real;

struct Grid {
  DoubleView values;
  int nx, nz;
};

__device__ inline double above(ConstDoubleView column, int z, int nz) {
  return z + 1 < nz ? column[z + 1] : 0.0;
}

__device__ inline void addTo(double &sum, const double &value) { sum += value; }

__global__ void step(ConstDoubleView u, DoubleView v, int nx, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= nx)
    return;
  ConstDoubleView column = u + x * nz;
  DoubleView out = v + (x * nz);
  for (int z = 0; z < nz; ++z) {
    double next = column[z] + 0.5 * above(column, z, nz);
    addTo(next, u.at(x, z));
    out[z] = next;
    *out += 1.0;
  }
}

__global__ void histogram(const Grid grid, UnsignedIntView counts, double *total) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= grid.nx)
    return;
  double &first = grid.values.at(x, 0);
  first *= 0.25;
  for (int z = 0; z < grid.nz; ++z) {
    const double value = grid.values.at(x, z);
    atomicAdd(&counts[x * 8 + (int(value) & 7)], 1u);
    atomicAdd(&*(counts + x * 8), 2u);
    total[x] = max(total[x], value);
  }
}

__global__ void scale(FloatView weights, int n) {
  for (FloatView w = weights + blockIdx.x * blockDim.x + threadIdx.x; w < weights + n;
       w += gridDim.x * blockDim.x) {
    *w *= 2;
    w[0] -= (w).load();
  }
}

int main(int argc, char **argv) {
  const int nx = argc > 1 ? std::atoi(argv[1]) : 37, nz = argc > 2 ? std::atoi(argv[2]) : 6;
  const int points = nx * nz;
  std::vector<double> host(points);
  for (int i = 0; i < points; ++i)
    host[i] = i % 13;
  DoubleView u = nullptr, v = nullptr;
  UnsignedIntView counts;
  FloatView weights;
  double *total;
  CHECK(doubleMalloc(&u, points * sizeof(double), nz));
  CHECK(doubleMalloc(&v, nx * nz * sizeof(double), nz));
  CHECK(unsignedIntMalloc(&counts, nx * 8 * sizeof(unsigned)));
  CHECK(floatMalloc(&weights, sizeof(real) * 100));
  CHECK(cudaMalloc(&total, nx * sizeof(double)));
  CHECK(doubleMemcpy(u, host.data(), points * sizeof(double), cudaMemcpyHostToDevice));
  CHECK(doubleMemset(v, 0, points * sizeof(double)));
  CHECK(unsignedIntMemset(counts, 0, nx * 8 * sizeof(unsigned)));
  CHECK(floatMemset(weights, 0, 100 * sizeof(real)));
  CHECK(cudaMemset(total, 0, nx * sizeof(double)));
  for (int n = 0; n < 3; ++n) {
    step<<<(nx + 31) / 32, 32>>>(u, v, nx, nz);
    std::swap(u, v);
  }
  const Grid grid = {u, nx, nz};
  histogram<<<(nx + 31) / 32, 32>>>(grid, counts, total);
  scale<<<2, 32>>>(weights, 100);
  CHECK(doubleMemcpy(host.data(), u, points * sizeof(double), cudaMemcpyDeviceToHost));
  double part[4] = {};
  CHECK(doubleMemcpy(part, v + 2 * nz, sizeof(double) * 4, cudaMemcpyDeviceToHost));
  CHECK(doubleMemcpy(v + nz, u, sizeof(double) * nz, cudaMemcpyDeviceToDevice));
  CHECK(doubleMemcpy(&part[1], v + (nz + 1), sizeof(double), cudaMemcpyDeviceToHost));
  std::vector<unsigned> bins(nx * 8);
  CHECK(unsignedIntMemcpy(bins.data(), counts, nx * 8 * sizeof(unsigned), cudaMemcpyDeviceToHost));
  real weight[100];
  CHECK(floatMemcpy(weight, weights, sizeof(weight), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (double value : host)
    sum += value;
  for (unsigned bin : bins)
    sum += bin;
  std::printf("%.17g %g %g %g\n", sum, part[0], part[1], weight[7]);
  doubleFree(u);
  doubleFree(v);
  unsignedIntFree(counts);
  floatFree(weights);
  cudaFree(total);
}
