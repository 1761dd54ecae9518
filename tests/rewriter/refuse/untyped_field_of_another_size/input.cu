// Ball soa
#include <cuda_runtime.h>

struct Vec {
  float x, y;
};

struct Pair {
  Vec first, second;
};

struct Ball {
  Vec at, speed;
};

__device__ float speedOf(const void *what) {
  const Pair *pair = (const Pair *)what; // refused: RL-R04
  return pair->second.x;
}

__global__ void step(Ball *balls) {
  balls[threadIdx.x].at.x = speedOf(&balls[threadIdx.x].at);
}

int main() {
  Ball *balls;
  cudaMalloc(&balls, 64 * sizeof(Ball));
  step<<<1, 64>>>(balls);
}
