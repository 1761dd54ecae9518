// double aligned 0 order 4 1,0
extern "C" int cublasDscal(void *, int, const double *, double *, int); // refused: RL-R10
__global__ void k(double *u, int n) { u[threadIdx.x] *= 2; }
int main() {
  double *u;
  cudaMalloc(&u, 64 * sizeof(double));
  k<<<1, 32>>>(u, 64);
  double alpha = 2;
  cublasDscal(nullptr, 64, &alpha, u, 1);
}
