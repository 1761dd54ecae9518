// double aligned 0 order 4 1,0
__global__ void k(volatile double *u) { u[threadIdx.x] = 1; } // refused: RL-R10
int main() {
  double *u;
  cudaMalloc(&u, 64 * sizeof(double));
  k<<<1, 32>>>(u);
}
