// Entry soa
// A comparison that the program's own qsort calls, with whatever that is given.
#include <cstdlib>

struct Entry {
  int key;
  float weight;
};

__host__ __device__ static bool isLess(const Entry *a, const Entry *b) { return a->key < b->key; }

static int compare(const void *a, const void *b) {
  return isLess((const Entry *)a, (const Entry *)b) ? -1 : 1; // refused: RL-R05
}

static void qsort(char *base, int n, int (*order)(const void *, const void *)) {
  for (int i = 0; i + 1 < n; ++i)
    if (order(base, base + sizeof(Entry)) > 0)
      base[0] = 0;
}

__global__ void order(const Entry *entries, int *count) {
  if (isLess(&entries[threadIdx.x + 1], &entries[threadIdx.x]))
    atomicAdd(count, 1);
}

int main() {
  Entry *entries, host[65] = {};
  int *count;
  qsort((char *)host, 65, compare);
  cudaMalloc(&entries, sizeof host);
  cudaMalloc(&count, sizeof(int));
  cudaMemcpy(entries, host, sizeof host, cudaMemcpyHostToDevice);
  order<<<1, 64>>>(entries, count);
  cudaDeviceSynchronize();
}
