#include "vec.cuh"

__global__ void keep(Ball *balls) {
  remember(balls[threadIdx.x].at);
  balls[threadIdx.x].speed.x = remembered();
}

int main() {
  Ball *balls;
  cudaMalloc(&balls, 64 * sizeof(Ball));
  keep<<<1, 64>>>(balls);
}
