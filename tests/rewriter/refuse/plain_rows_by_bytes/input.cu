// double aligned 0 order 3 1,0
__global__ void k(double (*p)[3]) { p[threadIdx.x][1] = 1; } // refused: RL-R08
void copy(double (*to)[3], const double (*from)[3], size_t bytes) {
  cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice);
}
int main() {
  double(*p)[3], host[32][3] = {};
  cudaMalloc(&p, 32 * sizeof(double[3]));
  copy(p, host, sizeof(host));
  k<<<1, 32>>>(p);
}
