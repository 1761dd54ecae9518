// A comparison of records that qsort calls on the host, and kernels on the device.
// clang-format off
#include <cstdio>
#include <cstdlib>

struct Entry {
  int key;
  float weight;
};

__host__ __device__ static bool isLess(const Entry *a, const Entry *b) {
  return a->key < b->key || (a->key == b->key && a->weight > b->weight);
}

static int compare(const void *a, const void *b) {
  const Entry *x = (const Entry *)a, *y = (const Entry *)b;
  return isLess(x, y) ? -1 : isLess(y, x) ? 1 : 0;
}

__global__ void countDescents(const Entry *entries, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n && isLess(&entries[i + 1], &entries[i]))
    atomicAdd(count, 1);
}

int main() {
  const int n = 256;
  Entry *host = (Entry *)malloc(n * sizeof(Entry));
  for (int i = 0; i < n; ++i)
    host[i] = {i * 37 % 64, float(i % 5)};
  qsort(host, n, sizeof(Entry), compare);
  host[7].key = 0;
  Entry *entries;
  int *count, descents;
  cudaMalloc(&entries, n * sizeof(Entry));
  cudaMalloc(&count, sizeof(int));
  cudaMemset(count, 0, sizeof(int));
  cudaMemcpy(entries, host, n * sizeof(Entry), cudaMemcpyHostToDevice);
  countDescents<<<n / 64, 64>>>(entries, count, n);
  cudaMemcpy(&descents, count, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("%d\n", descents);
  cudaFree(entries);
  cudaFree(count);
  free(host);
}
