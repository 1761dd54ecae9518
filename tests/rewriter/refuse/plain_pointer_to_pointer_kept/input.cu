// double aligned 0 order 4 1,0
struct Table {
  double **rows;
};
__global__ void k(double *u, int n) { u[threadIdx.x] *= 2; }
int main() {
  double *u;
  cudaMalloc(&u, 64 * sizeof(double));
  k<<<1, 32>>>(u, 64);
  Table table = {&u}; // refused: RL-R06
  k<<<1, 32>>>(*table.rows, 64);
}
