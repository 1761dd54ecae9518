// double aligned 0 order 4 1,0
__global__ void k(double *u, float *w) { w[threadIdx.x] = u[threadIdx.x]; }
int main() {
  double *u;
  cudaMalloc(&u, 64 * sizeof(double));
  float *w = (float *)(u + 32); // refused: RL-R05
  k<<<1, 32>>>(u, w);
}
