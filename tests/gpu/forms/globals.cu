// SPDX-License-Identifier: Apache-2.0
// Arrays and extents are global variables.
#include "stencil.cuh"

int nx, ny, nz;
double *u, *v;

void allocate() {
  cudaMalloc((void **)&u, nx * ny * nz * sizeof(double));
  cudaMalloc((void **)&v, nx * ny * nz * sizeof(double));
}

int main(int argc, char **argv) {
  if (argc < 4)
    return 1;
  nx = std::atoi(argv[1]);
  ny = std::atoi(argv[2]);
  nz = std::atoi(argv[3]);
  std::vector<double> values = start(size_t(nx) * ny * nz);
  allocate();
  cudaMemcpy(u, values.data(), values.size() * sizeof(double), cudaMemcpyHostToDevice);
  cudaMemcpy(v, values.data(), values.size() * sizeof(double), cudaMemcpyHostToDevice);
  for (int i = 0; i < kSteps; ++i) {
    step<<<blocks(nx, ny), threads()>>>(u, v, nx, ny, nz);
    std::swap(u, v);
  }
  cudaMemcpy(values.data(), u, values.size() * sizeof(double), cudaMemcpyDeviceToHost);
  cudaFree(u);
  cudaFree(v);
  print(values);
}
