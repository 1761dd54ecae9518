// R soa
#include <algorithm>
#include <cstdio>
#include <cstdlib>
struct R {
  float x, y;
};

__global__ void k(R *p) { p[0].x = 1; }

int compare(const void *a, const void *b) { return 0; }

int main() {
  R *p, plain[64];
  cudaMallocManaged(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
  cudaDeviceSynchronize();
  qsort(p, 64, sizeof(R), compare);    // refused: RL-R05
  std::copy(p, p + 64, plain);         // refused: RL-R05
  fwrite(p, sizeof(R), 64, stdout);    // refused: RL-R05
}
