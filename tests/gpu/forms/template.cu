// SPDX-License-Identifier: Apache-2.0
// A function template allocates.
#include "stencil.cuh"

template <class T> T *allocate(size_t count) {
  T *memory = nullptr;
  if (cudaMalloc(&memory, count * sizeof(T)) != cudaSuccess)
    std::exit(1);
  return memory;
}

int main(int argc, char **argv) {
  if (argc < 4)
    return 1;
  const int nx = std::atoi(argv[1]), ny = std::atoi(argv[2]), nz = std::atoi(argv[3]);
  std::vector<double> values = start(size_t(nx) * ny * nz);
  double *u = allocate<double>(nx * ny * nz), *v = allocate<double>(nx * ny * nz);
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
