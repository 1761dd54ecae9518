// double aligned 0 order 4 1,0
__global__ void k(double (*rows)[4]) { rows[threadIdx.x][0] = 1; } // refused: RL-R05
int main() {
  double *u;
  cudaMalloc(&u, 64 * sizeof(double));
  typedef double Row[4];
  k<<<1, 16>>>((Row *)u);
}
