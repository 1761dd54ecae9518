// double aligned 0 order 4 1,0
__global__ void k(double *u) {
  double &first = u[threadIdx.x];
  double *next = &first; // refused: RL-R04 RL-R05
  next[1] = 2;
}
int main() {
  double *u;
  cudaMalloc(&u, 64 * sizeof(double));
  k<<<1, 32>>>(u);
}
