// double aligned 0 order 4 1,0
__device__ void twice(double *row) { row[threadIdx.x] *= 2; } // refused: RL-R03
__global__ void k(double *u) {
  __shared__ double part[32];
  part[threadIdx.x] = u[threadIdx.x];
  twice(part);
  twice(u);
}
int main() {
  double *u;
  cudaMalloc(&u, 64 * sizeof(double));
  k<<<1, 32>>>(u);
}
