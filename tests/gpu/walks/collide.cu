// SPDX-License-Identifier: Apache-2.0
// Balls that attract each other: each reads the places and masses of all.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>
struct Ball {
  float x, y, z, radius;
  float vx, vy, vz, mass;
};
__global__ void interact(const Ball *in, Ball *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Ball b = in[i];
  float ax = 0, ay = 0, az = 0;
  for (int j = 0; j < n; ++j) {
    float dx = in[j].x - b.x, dy = in[j].y - b.y, dz = in[j].z - b.z;
    float r2 = dx * dx + dy * dy + dz * dz + 1e-3f;
    float inv = rsqrtf(r2), f = in[j].mass * inv * inv * inv;
    ax += dx * f;
    ay += dy * f;
    az += dz * f;
  }
  b.vx += ax * 1e-3f;
  b.vy += ay * 1e-3f;
  b.vz += az * 1e-3f;
  b.x += b.vx * 1e-3f;
  b.y += b.vy * 1e-3f;
  b.z += b.vz * 1e-3f;
  out[i] = b;
}
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1024;
  std::vector<Ball> h(n);
  for (int i = 0; i < n; ++i)
    h[i] = Ball{(float)(i % 97), (float)(i % 89), (float)(i % 83), .5f, 0, 0, 0, 1.f + i % 3};
  Ball *a, *b;
  cudaMalloc(&a, n * sizeof(Ball));
  cudaMalloc(&b, n * sizeof(Ball));
  cudaMemcpy(a, h.data(), n * sizeof(Ball), cudaMemcpyHostToDevice);
  for (int s = 0; s < 10; ++s) {
    interact<<<(n + 255) / 256, 256>>>(a, b, n);
    std::swap(a, b);
  }
  cudaMemcpy(h.data(), a, n * sizeof(Ball), cudaMemcpyDeviceToHost);
  printf("%.8g\n", h[7].x + h[n / 2].y);
}
