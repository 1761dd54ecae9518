// An array in device memory that kernels alone reach, and one in constant memory, which keeps its
// records, pass through the same functions.
// clang-format off
#include <cstdio>

struct Sample {
  float x, y;
  int weight;
};
#include "sample_layout.h"

__constant__ Sample fixed[16];
__device__ SampleArray<256> table;

__device__ float sum(ConstSampleView all, int n) {
  float total = 0;
  for (int i = 0; i < n; ++i)
    total += all.x(i) * all.weight(i);
  return total;
}

__device__ float sum(const Sample *all, int n) {
  float total = 0;
  for (int i = 0; i < n; ++i)
    total += all[i].x * all[i].weight;
  return total;
}

__device__ void bump(Sample &s) { s.x += 1; }

__global__ void fill() {
  const int i = threadIdx.x;
  table.x(i) += i;
  table.weight(i) = 2;
  Sample own = table.load(i);
  bump(own);
  {
    Sample element = table.load(i);
    bump(element);
    table.x(i) = element.x;
  }
  table.y(i) = sum(&own, 1);
}

__global__ void total(float *out) { *out = sum(table, 256) + sum(fixed, 16) + table.y(3); }

int main() {
  Sample host[16];
  for (int i = 0; i < 16; ++i)
    host[i] = {1.0f * i, 2, i};
  cudaMemcpyToSymbol(fixed, host, sizeof(host));
  float *out, result;
  cudaMalloc(&out, sizeof(float));
  fill<<<1, 256>>>();
  total<<<1, 1>>>(out);
  cudaMemcpy(&result, out, sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%.9g\n", result);
  cudaFree(out);
}
