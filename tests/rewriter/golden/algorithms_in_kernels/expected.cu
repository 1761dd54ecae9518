// Threads that search an array by Thrust's sequential algorithms.
#include <cstdio>
#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <vector>

struct Entry {
  int key, value;
  float weight;
  __host__ __device__ bool operator<(const Entry &other) const { return key < other.key; }
};
#include "entry_layout.h"

__device__ float weightOf(ConstEntryView table, int n, int key) {
  ConstEntryView found = thrust::lower_bound(thrust::seq, table, table + n, Entry{key, 0, 0});
  return found < table + n && found.key() == key ? found.weight() : 0;
}

__global__ void look(ConstEntryView table, int n, int *values, float *weights) {
  const int i = threadIdx.x;
  const Entry wanted{i, 0, 0};
  values[i] = -1;
  if (thrust::binary_search(thrust::seq, table, table + n, wanted)) {
    ConstEntryView found = thrust::lower_bound(thrust::seq, table, table + n, wanted);
    values[i] = found.value() + int(found - table);
  }
  weights[i] = weightOf(table, n, i);
}

int main() {
  const int n = 64;
  std::vector<Entry> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = {2 * i, i, 0.5f * i};
  EntryView table = nullptr;
  int *values = nullptr;
  float *weights = nullptr;
  entryMalloc(&table, n * sizeof(Entry));
  cudaMalloc(&values, n * sizeof(int));
  cudaMalloc(&weights, n * sizeof(float));
  entryMemcpy(table, host.data(), n * sizeof(Entry), cudaMemcpyHostToDevice);
  look<<<1, n>>>(table, n, values, weights);
  int found[n];
  float heavy[n];
  cudaMemcpy(found, values, sizeof found, cudaMemcpyDeviceToHost);
  cudaMemcpy(heavy, weights, sizeof heavy, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i)
    std::printf("%d %g\n", found[i], heavy[i]);
  entryFree(table);
  cudaFree(values);
  cudaFree(weights);
}
