// double aligned 0 order 4 1,0
__global__ void k(const double *u) { const_cast<double *>(u)[threadIdx.x] = 1; } // refused: RL-R05
int main() {
  double *u;
  cudaMalloc(&u, 64 * sizeof(double));
  k<<<1, 32>>>(u);
}
