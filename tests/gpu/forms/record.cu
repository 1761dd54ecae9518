// SPDX-License-Identifier: Apache-2.0
// The kernel gets records with an array and its extents.
#include "stencil.cuh"

struct Grid {
  double *data;
  int nx, ny, nz;
  __host__ __device__ size_t place(int x, int y, int z) const {
    return (size_t(x) * ny + y) * nz + z;
  }
};

__global__ void stepGrids(Grid u, Grid v) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= u.nx - 1 || y >= u.ny - 1)
    return;
  for (int z = 1; z < u.nz - 1; ++z)
    v.data[v.place(x, y, z)] = 0.4 * u.data[u.place(x, y, z)] +
                               0.1 * (u.data[u.place(x, y, z - 1)] + u.data[u.place(x, y, z + 1)] +
                                      u.data[u.place(x, y - 1, z)] + u.data[u.place(x, y + 1, z)] +
                                      u.data[u.place(x - 1, y, z)] + u.data[u.place(x + 1, y, z)]);
}

Grid make(int nx, int ny, int nz) {
  Grid grid;
  grid.nx = nx;
  grid.ny = ny;
  grid.nz = nz;
  cudaMalloc(&grid.data, sizeof(double) * nx * ny * nz);
  return grid;
}

int main(int argc, char **argv) {
  if (argc < 4)
    return 1;
  const int nx = std::atoi(argv[1]), ny = std::atoi(argv[2]), nz = std::atoi(argv[3]);
  std::vector<double> values = start(size_t(nx) * ny * nz);
  Grid u = make(nx, ny, nz), v = make(nx, ny, nz);
  cudaMemcpy(u.data, values.data(), values.size() * sizeof(double), cudaMemcpyHostToDevice);
  cudaMemcpy(v.data, values.data(), values.size() * sizeof(double), cudaMemcpyHostToDevice);
  for (int i = 0; i < kSteps; ++i) {
    stepGrids<<<blocks(nx, ny), threads()>>>(u, v);
    std::swap(u, v);
  }
  cudaMemcpy(values.data(), u.data, values.size() * sizeof(double), cudaMemcpyDeviceToHost);
  cudaFree(u.data);
  cudaFree(v.data);
  print(values);
}
