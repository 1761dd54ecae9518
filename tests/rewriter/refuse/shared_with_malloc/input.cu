// R soa
#include <cstdlib>
struct R {
  float x, y;
};

__global__ void k(R *p) { p[0].x = 1; } // refused: RL-R03

void clear(R *p) { p[0].x = 0; }

int main() {
  R *p, *q = (R *)malloc(64 * sizeof(R));
  cudaMallocManaged(&p, 64 * sizeof(R));
  clear(p);
  clear(q);
  const void *again = (const void *)clear; // of which a copy would not be
  k<<<1, 1>>>(p);
  return again == nullptr;
}
