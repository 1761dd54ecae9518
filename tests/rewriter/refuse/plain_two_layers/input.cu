// double aligned 0 order 4 1,0
__device__ double *table[2];
__global__ void k() { table[0][threadIdx.x] = 1; }
int main() {
  double *u;
  cudaMalloc(&u, 64 * sizeof(double));
  cudaMemcpyToSymbol(table, &u, sizeof u, sizeof u); // refused: RL-R08 RL-R09
  k<<<1, 32>>>();
}
