#include "pool.cuh"

#include <cstdio>

struct Entry {
  int key, value;
};

__global__ void fill(Entry *table, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    table[i] = {i, 2 * i + table[i].key};
}

int main() {
  const int count = 700;
  Entry host[count] = {{3, 4}}, *table;
  pool->take((void **)&table, sizeof host);
  cudaMemcpy(table, host, sizeof host, cudaMemcpyHostToDevice);
  fill<<<6, 128>>>(table, count);
  cudaMemcpy(host, table, sizeof host, cudaMemcpyDeviceToHost);
  printf("%d %d\n", host[0].value, host[count - 1].value);
  pool->give(table);
}
