// double aligned 0 order 3 1,0
__global__ void k(double (*p)[3]) { (*p)[threadIdx.x % 3] = 1; } // refused: RL-R05
int main() {
  double(*p)[3];
  cudaMalloc(&p, 32 * sizeof(double[3]));
  k<<<1, 32>>>(p);
}
