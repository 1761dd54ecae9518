// The device's struct begins as a copy of the host's, whose pointers are then overwritten.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    if ((call) != cudaSuccess)                                                                     \
      exit(1);                                                                                     \
  } while (0)

struct Nuclide {
  double energy, total, elastic;
};

struct Tables {
  int *counts;
  Nuclide *grid;
  Nuclide *extra;
  int gridLength, extraLength;
  char name[4];
} reference, resident;

__device__ double at(const Tables &tables, int i) {
  return tables.grid[i].energy * tables.grid[i].total;
}

__global__ void lookUp(Tables tables, double *results) {
  const int i = threadIdx.x;
  results[i] = at(tables, i) + tables.counts[i % 4];
  if (tables.extraLength > i)
    results[i] += tables.extra[i].elastic;
}

Tables toDevice(Tables host) {
  Tables device = host;
  size_t bytes = 4 * sizeof(int);
  CHECK(cudaMalloc((void **)&device.counts, bytes));
  CHECK(cudaMemcpy(device.counts, host.counts, bytes, cudaMemcpyHostToDevice));
  bytes = device.gridLength * sizeof(Nuclide);
  CHECK(cudaMalloc((void **)&device.grid, bytes));
  CHECK(cudaMemcpy(device.grid, host.grid, bytes, cudaMemcpyHostToDevice));
  if (host.extraLength != 0) {
    bytes = host.extraLength * sizeof(Nuclide);
    CHECK(cudaMalloc((void **)&device.extra, bytes));
    CHECK(cudaMemcpy(device.extra, host.extra, bytes, cudaMemcpyHostToDevice));
  }
  return device;
}

int main(int argc, char **) {
  const int n = 64;
  reference.counts = new int[4]{1, 2, 3, 4};
  reference.grid = new Nuclide[n];
  reference.extra = argc > 1 ? nullptr : new Nuclide[n / 2];
  reference.gridLength = n;
  reference.extraLength = argc > 1 ? 0 : n / 2;
  for (int i = 0; i < n; ++i)
    reference.grid[i] = Nuclide{i * 0.5, 1.0 / (i + 1), 2};
  for (int i = 0; i < reference.extraLength; ++i)
    reference.extra[i] = Nuclide{1, 2, double(i)};
  resident = toDevice(reference);
  double *results, host[n];
  cudaMalloc(&results, sizeof(host));
  lookUp<<<1, n>>>(resident, results);
  cudaMemcpy(host, results, sizeof(host), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (double result : host)
    sum += result;
  printf("%f\n", sum);
  cudaFree(resident.counts);
  cudaFree(resident.grid);
  if (resident.extraLength != 0)
    cudaFree(resident.extra);
}
