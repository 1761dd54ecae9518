// double aligned 0 order 4 1,0
__global__ void k(double *u) {
  double2 *pairs = (double2 *)u; // refused: RL-R05
  pairs[threadIdx.x].x = 1;
}
int main() {
  double *u;
  cudaMalloc(&u, 64 * sizeof(double));
  k<<<1, 32>>>(u);
}
