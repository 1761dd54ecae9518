// Launches that are given the addresses of their arguments.
// clang-format off
#include <cooperative_groups.h>

#include <cstdio>
#include <vector>

#include "double_layout.h"

struct Spring {
  float length, speed;
  double stiffness;
  int flags;
};
#include "spring_layout.h"

__global__ void swing(SpringView springs, ConstSpringView rest, int n, float dt, int steps) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  for (int t = 0; t < steps; ++t) {
    for (int i = grid.thread_rank(); i < n; i += grid.size())
      springs.speed(i) += dt * (rest.length(i) - springs.length((i + 1) % n));
    grid.sync();
    for (int i = grid.thread_rank(); i < n; i += grid.size())
      springs.length(i) += dt * springs.speed(i);
    grid.sync();
  }
}

template <int Block> __global__ void damp(SpringView springs, int n) {
  int i = blockIdx.x * Block + threadIdx.x;
  if (i < n)
    springs.speed(i) *= 0.5f;
}

__global__ void mix(DoubleView weights, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int k = 0; k < 3; ++k)
      weights[i * 4 + 3] += weights[i * 4 + k] * k;
}

int main() {
  int n = 500, steps = 3, blocks = 0;
  float dt = 0.125f;
  std::vector<Spring> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = {1.0f + i % 7, 0.25f * (i % 3), 2.0, i};
  SpringView springs, rest;
  springMalloc(&springs, n * sizeof(Spring));
  springMalloc(&rest, n * sizeof(Spring));
  springMemcpy(springs, host.data(), n * sizeof(Spring), cudaMemcpyHostToDevice);
  springMemcpy(rest, host.data(), n * sizeof(Spring), cudaMemcpyHostToDevice);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, swing, 64, 0);
  void *arguments[] = {&springs, &rest, (void *)&n, &dt, &steps};
  cudaLaunchCooperativeKernel((void *)swing, dim3(blocks < 4 ? blocks : 4), dim3(64), arguments, 0, 0);
  void *fewer[2] = {(void *)&springs, &n};
  cudaLaunchKernel(reinterpret_cast<void *>(&damp<128>), (n + 127) / 128, 128, fewer, 0, nullptr);
  std::vector<double> numbers(n * 4);
  for (int i = 0; i < n * 4; ++i)
    numbers[i] = i % 11;
  DoubleView weights;
  doubleMalloc(&weights, n * 4 * sizeof(double));
  doubleMemcpy(weights, numbers.data(), n * 4 * sizeof(double), cudaMemcpyHostToDevice);
  void *both[] = {&weights, &n};
  cudaLaunchKernel((void *)mix, dim3((n + 63) / 64), dim3(64), both, 0, 0);
  doubleMemcpy(numbers.data(), weights, n * 4 * sizeof(double), cudaMemcpyDeviceToHost);
  springMemcpy(host.data(), springs, n * sizeof(Spring), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (const Spring &spring : host)
    sum += spring.length + spring.speed * (spring.flags % 3);
  std::printf("%g %g\n", sum, numbers[4 * n - 1]);
}
