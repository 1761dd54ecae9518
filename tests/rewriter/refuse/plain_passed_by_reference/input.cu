// double aligned 0 order 4 1,0
__device__ void fill(double &first) { (&first)[1] = 2; } // refused: RL-R04
__global__ void k(double *u) { fill(u[threadIdx.x]); }
int main() {
  double *u;
  cudaMalloc(&u, 64 * sizeof(double));
  k<<<1, 32>>>(u);
}
