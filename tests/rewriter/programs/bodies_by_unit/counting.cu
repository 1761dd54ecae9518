#include "vec.cuh"

__global__ void count(Ball *balls) { balls[threadIdx.x].count(); }

int main() {
  Ball *balls;
  cudaMalloc(&balls, 64 * sizeof(Ball));
  cudaMemset(balls, 0, 64 * sizeof(Ball));
  count<<<1, 64>>>(balls);
  static Ball host[64];
  cudaMemcpy(host, balls, sizeof(host), cudaMemcpyDeviceToHost);
}
