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
#include "nuclide_layout.h"

struct Tables {
  int *counts;
  Nuclide *grid;
  Nuclide *extra;
  int gridLength, extraLength;
  char name[4];
};
struct TablesDevice {
  int *counts;
  NuclideView grid;
  NuclideView extra;
  int gridLength, extraLength;
  char name[4];
};

/// Without pointers to memory of the host.
inline TablesDevice toTablesDevice(const Tables &from) {
  TablesDevice to;
  to.counts = nullptr;
  to.grid = nullptr;
  to.extra = nullptr;
  to.gridLength = from.gridLength;
  to.extraLength = from.extraLength;
  for (int i = 0; i < 4; ++i)
    to.name[i] = from.name[i];
  return to;
}
Tables reference;
TablesDevice resident;

__device__ double at(const TablesDevice &tables, int i) {
  return tables.grid.energy(i) * tables.grid.total(i);
}

__global__ void lookUp(TablesDevice tables, double *results) {
  const int i = threadIdx.x;
  results[i] = at(tables, i) + tables.counts[i % 4];
  if (tables.extraLength > i)
    results[i] += tables.extra.elastic(i);
}

TablesDevice toDevice(Tables host) {
  TablesDevice device = toTablesDevice(host);
  size_t bytes = 4 * sizeof(int);
  CHECK(cudaMalloc((void **)&device.counts, bytes));
  CHECK(cudaMemcpy(device.counts, host.counts, bytes, cudaMemcpyHostToDevice));
  bytes = device.gridLength * sizeof(Nuclide);
  CHECK(nuclideMalloc(&device.grid, bytes));
  CHECK(nuclideMemcpy(device.grid, host.grid, bytes, cudaMemcpyHostToDevice));
  if (host.extraLength != 0) {
    bytes = host.extraLength * sizeof(Nuclide);
    CHECK(nuclideMalloc(&device.extra, bytes));
    CHECK(nuclideMemcpy(device.extra, host.extra, bytes, cudaMemcpyHostToDevice));
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
  nuclideFree(resident.grid);
  if (resident.extraLength != 0)
    nuclideFree(resident.extra);
}
