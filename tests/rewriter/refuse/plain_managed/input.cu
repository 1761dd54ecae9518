// double aligned 0 order 4 1,0
__global__ void k(double *u, int n) { u[threadIdx.x] *= 2; } // refused: RL-R03
int main() {
  double *u;
  cudaMallocManaged(&u, 64 * sizeof(double));
  k<<<1, 32>>>(u, 64);
}
