// R soa
#include <utility>

struct R {
  float x, y;
};

R *elsewhere();

__global__ void k(R *p) { p[0].x = 1; } // refused: RL-R03

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  R *old = std::exchange(p, new R[64]);
  k<<<1, 1>>>(old);
}
