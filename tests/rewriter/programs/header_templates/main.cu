// clang-format off
#include <cstdio>
#include <vector>
#include "arrays.h"

__global__ void drift(Particle *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    move(p, i, 0.25f);
}

int main() {
  const int n = 300;
  std::vector<Particle> host(n);
  for (int i = 0; i < n; ++i) host[i] = {float(i), 1};
  Particle *p = toDevice(host.data(), n);
  advance(p, n);
  drift<<<(n + 127) / 128, 128>>>(p, n);
  Particle *moved = toHost(p, n);
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += moved[i].x + moved[i].v;
  std::printf("%g\n", sum);
  free(moved);
  cudaFree(p);
}
