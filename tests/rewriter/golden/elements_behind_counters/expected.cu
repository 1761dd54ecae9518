// Nothing that an element is copied from can be a counter in memory of its own; and functions that
// change what they are given write no elements where they are given none.
// clang-format off
#include <cstdio>

__device__ unsigned total;

struct Entry {
  unsigned key;
  float sum;
  float3 at;
};
#include "entry_layout.h"

__device__ void operator+=(float3 &a, const float3 &b) {
  a.x += b.x;
  a.y += b.y;
  a.z += b.z;
}

__device__ float3 pull(const Entry &a, const Entry &b) {
  float3 force = a.at;
  force += b.at;
  return force;
}

__global__ void compact(ConstEntryView in, int n, EntryView out, unsigned *count, EntryView all) {
  __shared__ unsigned mine[1];
  if (threadIdx.x == 0)
    mine[0] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in.key(i) % 3)
    out.store(atomicAdd(count, 1u), in.load(i));
  if (i < n)
    all.store(atomicAdd(&total, 1u), in.load(i));
  if (i < n && blockIdx.x == 0)
    all.store(n + atomicAdd(mine, 1u), in.load(i));
}

__global__ void move(EntryView entries, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float3 force = pull(entries.load(i), entries.load(n - 1 - i));
    __syncthreads();
    entries.at(i) += force;
  }
}

int main() {
  const int n = 128;
  Entry host[2 * n];
  for (int i = 0; i < n; ++i)
    host[i] = {unsigned(i), 0.5f * i, {1.0f * i, 2, 3}};
  EntryView in, out, all;
  unsigned *count, counted;
  entryMalloc(&in, n * sizeof(Entry));
  entryMalloc(&out, n * sizeof(Entry));
  entryMalloc(&all, 2 * n * sizeof(Entry));
  cudaMalloc(&count, sizeof(unsigned));
  cudaMemset(count, 0, sizeof(unsigned));
  entryMemset(all, 0, 2 * n * sizeof(Entry));
  entryMemcpy(in, host, n * sizeof(Entry), cudaMemcpyHostToDevice);
  move<<<1, n>>>(in, n);
  compact<<<4, 32>>>(in, n, out, count, all);
  cudaMemcpy(&counted, count, sizeof(unsigned), cudaMemcpyDeviceToHost);
  entryMemcpy(host, out, counted * sizeof(Entry), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (unsigned i = 0; i < counted; ++i)
    sum += host[i].key * host[i].sum + host[i].at.x;
  entryMemcpy(host, all, 2 * n * sizeof(Entry), cudaMemcpyDeviceToHost);
  for (int i = 0; i < 2 * n; ++i)
    sum += host[i].sum;
  std::printf("%u %.17g\n", counted, sum);
}
