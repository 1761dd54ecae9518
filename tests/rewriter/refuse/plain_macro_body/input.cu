// double aligned 0 order 4 1,0
#define ROW(i) (&u[i])
__global__ void k(double *u) {
  double *row = ROW(4); // refused: RL-R02
  row[threadIdx.x] = 1;
}
#undef ROW
int main() {
  double *u;
  cudaMalloc(&u, 64 * sizeof(double));
  k<<<1, 32>>>(u);
}
