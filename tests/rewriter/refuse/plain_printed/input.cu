// double aligned 0 order 4 1,0
#include <cstdio>
__global__ void k(double *u, int n) { u[threadIdx.x] *= 2; }
int main() {
  double *u;
  cudaMalloc(&u, 64 * sizeof(double));
  k<<<1, 32>>>(u, 64);
  std::printf("%s\n", (char *)u); // refused: RL-R05
}
