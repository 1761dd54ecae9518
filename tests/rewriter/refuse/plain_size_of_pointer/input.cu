// double aligned 0 order 4 1,0
__global__ void k(double *u, int n) { u[threadIdx.x] *= 2; }
int main() {
  double *u;
  cudaMalloc(&u, 64 * sizeof(double));
  k<<<1, 32>>>(u, 64);
  static_assert(sizeof(u) == 8, "a pointer"); // refused: RL-R09
}
