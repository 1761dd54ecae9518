// double aligned 0 order 4 1,0
__global__ void k(double *u) {
  unsigned char *bytes = (unsigned char *)u; // refused: RL-R05
  bytes[threadIdx.x] = 1;
}
int main() {
  double *u;
  cudaMalloc(&u, 64 * sizeof(double));
  k<<<1, 32>>>(u);
}
