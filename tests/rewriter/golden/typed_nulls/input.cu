// Null pointers whose type is written out, in the places of pointers that become views.
// clang-format off
#include <cstdio>
#include <cstdlib>

struct Grain { float x; int n; };

__global__ void settle(Grain *grains, int n, const Grain *before) {
  int i = threadIdx.x;
  if (i >= n) return;
  grains[i].x += before ? before[i].x : 1;
  grains[i].n += before == (const Grain *)0;
}

Grain *make(int n) {
  if (n == 0) return (Grain *)NULL;
  Grain *grains = static_cast<Grain *>(nullptr);
  cudaMalloc(&grains, n * sizeof(Grain));
  return grains;
}

int main() {
  const int n = 32;
  Grain host[n] = {};
  Grain *grains = make(n);
  cudaMemcpy(grains, host, n * sizeof(Grain), cudaMemcpyHostToDevice);
  settle<<<1, 32>>>(grains, n, (const Grain *)nullptr);
  settle<<<1, 32>>>(grains, n, n > 3 ? grains : (Grain *)0);
  if (grains != (Grain *)NULL)
    cudaMemcpy(host, grains, n * sizeof(Grain), cudaMemcpyDeviceToHost);
  Grain *copy = (Grain *)NULL;
  copy = (Grain *)malloc(sizeof(Grain));
  *copy = host[n - 1];
  printf("%g %d\n", copy->x, copy->n);
}
