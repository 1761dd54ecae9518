// R soa
#include <cstdlib>
struct R {
  float x, y;
};

__global__ void k(R *p) { p[0].x = 1; } // refused: RL-R03

int main() {
  R *p;
  R *&same = p;
  p = (R *)malloc(64 * sizeof(R));
  same[3].x = 2;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
