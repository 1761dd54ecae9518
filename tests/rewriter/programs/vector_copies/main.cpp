// Host C++ that copies arrays of a type which CUDA defines.
#include "points.h"
#include <cstdio>
#include <vector>

int main() {
  const int n = 90;
  std::vector<float4> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = make_float4(1.0f * i, 2.0f * i, 0, 1);
  float4 *points = nullptr, *by = nullptr;
  cudaMalloc((void **)&points, n * sizeof(float4));
  cudaMalloc((void **)&by, n * sizeof(float4));
  cudaMemcpy(points, host.data(), n * sizeof(float4), cudaMemcpyHostToDevice);
  cudaMemcpy(by, points, n * sizeof(float4), cudaMemcpyDeviceToDevice);
  shift(points, by, n);
  cudaMemcpy(host.data(), points, n * sizeof(float4), cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", host[3].x, host[n - 1].w);
  cudaFree(points);
  cudaFree(by);
}
