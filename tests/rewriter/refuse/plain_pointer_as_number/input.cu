// double aligned 0 order 4 1,0
__global__ void k(double *u) {
  unsigned long long bits = (unsigned long long)u; // refused: RL-R05
  u[threadIdx.x] = (double)(bits & 255);
}
int main() {
  double *u;
  cudaMalloc(&u, 64 * sizeof(double));
  k<<<1, 32>>>(u);
}
