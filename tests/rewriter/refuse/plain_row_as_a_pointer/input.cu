// double aligned 0 order 3 1,0
__device__ double sum(const double *v) { return v[0] + v[1] + v[2]; } // refused: RL-R05
__global__ void k(double (*p)[3]) { p[threadIdx.x][0] = sum(p[threadIdx.x]); }
int main() {
  double(*p)[3];
  cudaMalloc(&p, 32 * sizeof(*p));
  k<<<1, 32>>>(p);
}
