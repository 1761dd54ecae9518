#include "ball.cuh"
#include <cstdio>
#include <vector>
__global__ void run(game::Ball *balls, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    balls[i].step(0.1f);
}
int main() {
  const int n = 500;
  std::vector<game::Ball> h(n);
  for (int i = 0; i < n; ++i)
    h[i].place(i % 7, -(i % 5));
  game::Ball *d;
  cudaMalloc(&d, n * sizeof(game::Ball));
  cudaMemcpy(d, h.data(), n * sizeof(game::Ball), cudaMemcpyHostToDevice);
  for (int t = 0; t < 30; ++t)
    run<<<8, 64>>>(d, n);
  cudaMemcpy(h.data(), d, n * sizeof(game::Ball), cudaMemcpyDeviceToHost);
  std::printf("%f\n", h[8].where());
}
