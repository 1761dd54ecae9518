// double aligned 0 order 4 1,0
#include <cuda_runtime.h>
__global__ void k(double *u, int n) { u[threadIdx.x] *= 2; }
int main() {
  double *u;
  cudaMalloc(&u, 64 * sizeof(double));
  int n = 64;
  void *arguments[] = {&u, &n};                                                // refused: RL-R06
  cudaLaunchKernel((const void *)k, dim3(1), dim3(32), arguments, 0, nullptr); // refused: RL-R05
}
