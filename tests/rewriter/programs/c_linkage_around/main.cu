// The record's header is included between the braces of extern "C".
#include <vector>

extern "C" {
#include "wave.h"
}

__global__ void advance(wave *waves, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    waves[i].height += 0.5 * waves[i].speed * waves[i].kind;
}

int main() {
  const int n = 70;
  std::vector<wave> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = {0.25 * i, 2.0 * i, i % 3};
  wave *waves;
  cudaMalloc(&waves, n * sizeof(wave));
  cudaMemcpy(waves, host.data(), n * sizeof(wave), cudaMemcpyHostToDevice);
  advance<<<3, 32>>>(waves, n);
  cudaMemcpy(host.data(), waves, n * sizeof(wave), cudaMemcpyDeviceToHost);
  print_waves(host.data(), n);
  cudaFree(waves);
}
