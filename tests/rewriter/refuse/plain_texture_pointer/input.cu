// double aligned 0 order 4 1,0
__global__ void k(double *u, int n) { u[threadIdx.x] *= 2; }
int main() {
  double *u;
  cudaMalloc(&u, 64 * sizeof(double));
  k<<<1, 32>>>(u, 64);
  cudaPointerAttributes attributes;
  cudaPointerGetAttributes(&attributes, u); // refused: RL-R08
}
