// R soa
#include <cstdlib>
struct R {
  float x, y;
};

__global__ void k(R *p) { p[0].x = 1; } // refused: RL-R03

int main(int argc, char **) {
  R *p = new R[64];
  if (argc > 1)
    cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
