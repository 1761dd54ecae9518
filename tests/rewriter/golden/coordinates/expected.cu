// SPDX-License-Identifier: Apache-2.0
// Subscripts made of coordinates: where each is proved to be inside its extent, the access names
// them; elsewhere the view maps the element's number.
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "double_layout.h"
#include "float_layout.h"

#define CHECK(call)                                                                                \
  do {                                                                                             \
    if ((call) != cudaSuccess) {                                                                   \
      std::printf("failed: %s\n", #call);                                                          \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)
#define AT(x, y, z) (((x)*ny + (y)) * nz + (z))

const int Q = 5; // values of a cell

__host__ __device__ inline int indexOf(int x, int y, int z, int ny, int nz) {
  return (x * ny + y) * nz + z;
}

// All neighbours are inside.
__global__ void step(ConstDoubleView u, DoubleView next, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1)
    return;
  for (int z = 1; z < nz - 1; ++z) {
    const double sum = u.at(x - 1, y, z) + u.at(x + 1, y, z) +
                       u.at(x, y - 1, z) + u.at(x, y + 1, z);
    next.at(x, y, z) = 0.5 * u.at(x, y, z) + 0.125 * sum + u.at(x, y, z - 1) - u.at(x, y, z + 1);
  }
}

// Called with the extents under other names.
__device__ double gradient(ConstDoubleView field, size_t row, size_t column, size_t rows,
                           size_t columns, int plane) {
  if (row >= rows || column >= columns - 1)
    return 0.0;
  return field.at(plane, row, column + 1) -
         field.at(plane, row, column);
}

// A number for each point; the sum over the next row runs into the plane behind.
__global__ void runs(DoubleView u, int points, int m, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= points)
    return;
  const int z = i % n, y = i / n % m, x = i / n / m;
  double sum = gradient(u, y, z, m, n, x);
  for (int k = 0; i + k < points && k < n; ++k)
    sum += 1e-3 * u[i + k];
  u.at(x, y, z) += 1e-6 * z;
  if (sum > 1e9)
    u[i] = 0.0;
}

__global__ void collide(FloatView f, int cells) {
  const int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= cells)
    return;
  float sum = 0;
  for (int q = 0; q < Q; ++q)
    sum += f.at(cell, q);
  for (int q = 0; q + 1 < Q; ++q)
    f.at(cell, q) -= f.at(cell, q + 1) / sum;
}

int main(int argc, char **argv) {
  const int nx = argc > 1 ? std::atoi(argv[1]) : 11, ny = argc > 2 ? std::atoi(argv[2]) : 7;
  int nz = 5;
  if (argc > 3)
    nz = std::atoi(argv[3]);
  const int points = nx * ny * nz;
  std::vector<double> host(points);
  for (int i = 0; i < points; ++i)
    host[i] = i % 13;
  std::vector<float> cells(points * Q);
  for (int i = 0; i < points * Q; ++i)
    cells[i] = 1 + i % 7;
  DoubleView u = nullptr, v = nullptr;
  FloatView f;
  CHECK(doubleMalloc(&u, points * sizeof(double), nz, ny));
  CHECK(doubleMalloc(&v, nx * ny * nz * sizeof(double), nz, ny));
  CHECK(floatMalloc(&f, points * Q * sizeof(float)));
  CHECK(doubleMemcpy(u, host.data(), points * sizeof(double), cudaMemcpyHostToDevice));
  CHECK(doubleMemcpy(v, host.data(), points * sizeof(double), cudaMemcpyHostToDevice));
  CHECK(floatMemcpy(f, cells.data(), points * Q * sizeof(float), cudaMemcpyHostToDevice));
  const dim3 threads(16, 4), blocks((nx + 15) / 16, (ny + 3) / 4);
  for (int n = 0; n < 3; ++n) {
    step<<<blocks, threads>>>(u, v, nx, ny, nz);
    std::swap(u, v);
    runs<<<(points + 63) / 64, 64>>>(u, points, ny, nz);
    collide<<<(points + 63) / 64, 64>>>(f, points);
  }
  CHECK(doubleMemcpy(host.data(), u, points * sizeof(double), cudaMemcpyDeviceToHost));
  CHECK(floatMemcpy(cells.data(), f, points * Q * sizeof(float), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (double value : host)
    sum += value;
  for (float value : cells)
    sum += value;
  std::printf("%.17g\n", sum);
  doubleFree(u);
  doubleFree(v);
  floatFree(f);
}
