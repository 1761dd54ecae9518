#include "vec.cuh"

#include <cstdio>

__global__ void step(Ball *balls, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  balls[i].at.x += balls[i].speed.x;
  balls[i].at.y += balls[i].speed.y;
  limit(balls[i].at, 50);
  balls[i].move(0.5f);
  float energy = 0;
  energy = balls[i].slow(balls[i].speed.length() + 1);
  if (energy > 2)
    balls[i].mark();
  const Ball *own = balls + i;
  pull(&balls[i].at, &own->speed);
  if (lengthOf(&own->at) < 3)
    --balls[i].hits;
  if (distance(balls[i].at, balls[i].speed) > 20)
    ++balls[i].hits;
}

int main() {
  const int count = 300;
  Ball host[count], *balls;
  for (int i = 0; i < count; ++i)
    host[i] = {{float(i % 70), float(i % 11)}, {float(i % 5), 1}, 0};
  cudaMalloc(&balls, sizeof host);
  cudaMemcpy(balls, host, sizeof host, cudaMemcpyHostToDevice);
  for (int s = 0; s < 3; ++s)
    step<<<3, 128>>>(balls, count);
  cudaMemcpy(host, balls, sizeof host, cudaMemcpyDeviceToHost);
  int hits = 0;
  for (const Ball &ball : host)
    hits += ball.hits;
  printf("%d %g\n", hits, host[201].at.x);
  cudaFree(balls);
}
