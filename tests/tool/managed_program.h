// SPDX-License-Identifier: Apache-2.0
// Test helper: a program whose host code works on the array that its kernels do.
#pragma once

namespace relayout::test {

inline constexpr const char *kManaged = R"(#include <cstdio>
struct Point { float x, y; double z; };
__global__ void move(Point *points, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    points[i].x += 0.5f * points[i].y;
}
int main() {
  const int n = 1000;
  Point *points;
  float *scale;
  cudaMallocManaged(&points, n * sizeof(Point));
  cudaMallocManaged(&scale, sizeof(float));
  *scale = 2;
  for (int i = 0; i < n; ++i)
    points[i] = {*scale * i, 1, 3};
  for (int step = 0; step < 2; ++step) {
    move<<<8, 128>>>(points, n);
    cudaDeviceSynchronize();
  }
  std::printf("%g\n", points[7].x);
  cudaFree(points);
})";

} // namespace relayout::test
