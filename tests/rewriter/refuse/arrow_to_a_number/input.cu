// __half2 aligned 0 order 4 1,0
#include <cuda_fp16.h>

__global__ void k(__half2 *p) {
  __half2 *q = p + threadIdx.x;
  q->x = q[1].y; // refused: RL-R09
}

int main() {
  __half2 *p;
  cudaMalloc(&p, 64 * sizeof(__half2));
  k<<<1, 32>>>(p);
}
