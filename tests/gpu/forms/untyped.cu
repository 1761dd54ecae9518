// SPDX-License-Identifier: Apache-2.0
// Functions for memory of any type allocate, and set bytes that they do not count in elements.
#include "stencil.cuh"

void zeros(void **memory, size_t bytes) {
  cudaMalloc(memory, bytes);
  cudaMemset(*memory, 0, bytes);
}

int main(int argc, char **argv) {
  if (argc < 4)
    return 1;
  const int nx = std::atoi(argv[1]), ny = std::atoi(argv[2]), nz = std::atoi(argv[3]);
  std::vector<double> values = start(size_t(nx) * ny * nz);
  double *u, *v;
  zeros((void **)&u, nx * ny * nz * sizeof(double));
  zeros((void **)&v, nx * ny * nz * sizeof(double));
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
