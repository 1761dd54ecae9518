// SPDX-License-Identifier: Apache-2.0
// Boids: each reads the positions of all, and the velocities of those near by.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>
struct Boid {
  float2 pos;
  float2 vel;
  float2 acc;
  int flock;
  int alive;
};
__global__ void flock(const Boid *in, Boid *out, int n, float r2) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Boid b = in[i];
  float2 c = make_float2(0, 0), a = make_float2(0, 0);
  int m = 0;
  for (int j = 0; j < n; ++j) {
    float dx = in[j].pos.x - b.pos.x, dy = in[j].pos.y - b.pos.y, d = dx * dx + dy * dy;
    if (d < r2 && d > 0) {
      c.x += in[j].pos.x;
      c.y += in[j].pos.y;
      a.x += in[j].vel.x;
      a.y += in[j].vel.y;
      ++m;
    }
  }
  if (m) {
    b.acc.x = 0.01f * (c.x / m - b.pos.x) + 0.1f * (a.x / m - b.vel.x);
    b.acc.y = 0.01f * (c.y / m - b.pos.y) + 0.1f * (a.y / m - b.vel.y);
  }
  b.vel.x += b.acc.x;
  b.vel.y += b.acc.y;
  b.pos.x += b.vel.x;
  b.pos.y += b.vel.y;
  out[i] = b;
}
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1024;
  std::vector<Boid> h(n);
  for (int i = 0; i < n; ++i)
    h[i] = Boid{{(float)(i % 97), (float)(i % 89)}, {0.1f, 0.2f}, {0, 0}, 0, 1};
  Boid *a, *b;
  cudaMalloc(&a, n * sizeof(Boid));
  cudaMalloc(&b, n * sizeof(Boid));
  cudaMemcpy(a, h.data(), n * sizeof(Boid), cudaMemcpyHostToDevice);
  for (int s = 0; s < 10; ++s) {
    flock<<<(n + 255) / 256, 256>>>(a, b, n, 100.f);
    std::swap(a, b);
  }
  cudaMemcpy(h.data(), a, n * sizeof(Boid), cudaMemcpyDeviceToHost);
  printf("%.8g\n", h[7].pos.x + h[n / 2].pos.y);
}
