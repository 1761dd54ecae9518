// Null pointers whose type is written out, in the places of pointers that become views.
// clang-format off
#include <cstdio>
#include <cstdlib>

struct Grain { float x; int n; };
#include "grain_layout.h"

__global__ void settle(GrainView grains, int n, ConstGrainView before) {
  int i = threadIdx.x;
  if (i >= n) return;
  grains.x(i) += before ? before.x(i) : 1;
  grains.n(i) += before == nullptr;
}

GrainView make(int n) {
  if (n == 0) return nullptr;
  GrainView grains = nullptr;
  grainMalloc(&grains, n * sizeof(Grain));
  return grains;
}

int main() {
  const int n = 32;
  Grain host[n] = {};
  GrainView grains = make(n);
  grainMemcpy(grains, host, n * sizeof(Grain), cudaMemcpyHostToDevice);
  settle<<<1, 32>>>(grains, n, nullptr);
  settle<<<1, 32>>>(grains, n, n > 3 ? grains : nullptr);
  if (grains != nullptr)
    grainMemcpy(host, grains, n * sizeof(Grain), cudaMemcpyDeviceToHost);
  Grain *copy = (Grain *)NULL;
  copy = (Grain *)malloc(sizeof(Grain));
  *copy = host[n - 1];
  printf("%g %d\n", copy->x, copy->n);
}
