// Host C++ that copies arrays of two records, which CUDA units copy as well.
#include "../include/waves.h"
#include "drops.h"

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

int main() {
  const int count = 300;
  std::vector<Wave> waves(count);
  std::vector<Drop> drops(count);
  for (int i = 0; i < count; ++i) {
    waves[i] = Wave{0.5f * i, 0.25f, float(i % 3)};
    drops[i] = Drop{1.0 * i, 0.5, i % 5};
  }
  Wave *onDevice = nullptr;
  Drop *falling = nullptr;
  cudaMalloc(&onDevice, count * sizeof(Wave));
  cudaMalloc(&falling, count * sizeof(Drop));
  cudaMemcpy(onDevice, waves.data(), count * sizeof(Wave), cudaMemcpyHostToDevice);
  cudaMemcpy(falling, drops.data(), count * sizeof(Drop), cudaMemcpyHostToDevice);
  move(onDevice, count);
  fall(falling, count);
  cudaMemcpy(waves.data(), onDevice, count * sizeof(Wave), cudaMemcpyDeviceToHost);
  cudaMemcpy(drops.data(), falling, count * sizeof(Drop), cudaMemcpyDeviceToHost);
  cudaFree(onDevice);
  cudaFree(falling);
  double sum = sumOfKinds();
  for (int i = 0; i < count; ++i)
    sum += waves[i].height + drops[i].x;
  std::printf("%.9g\n", sum);
}
