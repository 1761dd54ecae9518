// double aligned 0 order 4 1,0
__global__ void k(double *u, int n) { u[threadIdx.x] *= 2; } // refused: RL-R03
double *choose(bool onHost) {
  double *u;
  if (onHost)
    u = new double[64];
  else
    cudaMalloc(&u, 64 * sizeof(double));
  return u;
}
int main() {
  double *u = choose(false);
  k<<<1, 32>>>(u, 64);
}
