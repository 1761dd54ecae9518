// double aligned 0 order 4 1,0
__global__ void k(double *u, int n) { u[threadIdx.x] *= 2; }
int main() {
  double *u;
  cudaMalloc(&u, 64 * sizeof(double));
  void (*launch)(double *, int) = k; // refused: RL-R05
  launch<<<1, 32>>>(u, 64); // refused: RL-R05
}
