// Host C++ that allocates, copies in every direction, sets and frees what kernels work on.
#include "waves.h"

#include <cuda_runtime.h>

#include <vector>

int main() {
  const int count = 300;
  const size_t bytes = count * sizeof(Wave);
  std::vector<Wave> host(count);
  for (int i = 0; i < count; ++i)
    host[i] = Wave{0.5f * i, 0.25f, float(i % 3), i};
  Wave *waves = nullptr, *kept = nullptr;
  cudaMalloc(&waves, bytes);
  cudaMalloc(&kept, bytes);
  cudaMemset(kept, 0, bytes);
  cudaMemcpy(waves, host.data(), bytes, cudaMemcpyHostToDevice);
  run(waves, count, 3);
  cudaMemcpy(kept, waves, bytes / 2 / sizeof(Wave) * sizeof(Wave), cudaMemcpyDeviceToDevice);
  cudaMemcpy(host.data(), kept, bytes, cudaMemcpyDeviceToHost);
  print(host.data(), count);
  cudaFree(waves);
  cudaFree(kept);
}
