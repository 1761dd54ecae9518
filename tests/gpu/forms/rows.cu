// SPDX-License-Identifier: Apache-2.0
// Pointers to planes of constant extents.
#include "stencil.cuh"

constexpr int kExtent = 384;
typedef double Plane[kExtent][kExtent];

__global__ void stepPlanes(const Plane *u, Plane *v, int nx) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= kExtent - 1)
    return;
  for (int z = 1; z < kExtent - 1; ++z)
    v[x][y][z] = 0.4 * u[x][y][z] + 0.1 * (u[x][y][z - 1] + u[x][y][z + 1] + u[x][y - 1][z] +
                                           u[x][y + 1][z] + u[x - 1][y][z] + u[x + 1][y][z]);
}

int main(int argc, char **argv) {
  if (argc < 4)
    return 1;
  const int nx = std::atoi(argv[1]);
  std::vector<double> values = start(size_t(nx) * kExtent * kExtent);
  Plane *u, *v;
  cudaMalloc(&u, nx * sizeof(Plane));
  cudaMalloc(&v, nx * sizeof(Plane));
  cudaMemcpy(u, values.data(), nx * sizeof(Plane), cudaMemcpyHostToDevice);
  cudaMemcpy(v, values.data(), nx * sizeof(Plane), cudaMemcpyHostToDevice);
  for (int i = 0; i < kSteps; ++i) {
    stepPlanes<<<blocks(nx, kExtent), threads()>>>(u, v, nx);
    std::swap(u, v);
  }
  cudaMemcpy(values.data(), u, nx * sizeof(Plane), cudaMemcpyDeviceToHost);
  cudaFree(u);
  cudaFree(v);
  print(values);
}
