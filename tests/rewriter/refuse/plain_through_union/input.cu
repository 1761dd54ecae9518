// double aligned 0 order 4 1,0
union Bits {
  double *typed; // refused: RL-R10
  long address;
};
__global__ void k(double *u, int n) { u[threadIdx.x] *= 2; }
int main() {
  double *u;
  cudaMalloc(&u, 64 * sizeof(double));
  Bits bits;
  bits.typed = u;
  k<<<1, 32>>>(bits.typed, 64);
}
