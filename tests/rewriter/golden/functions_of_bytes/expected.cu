// Functions on memory of any type that say `char *` for it; what is text stays text.
// clang-format off
#include <cstdio>
#include <cstdlib>

struct Zone {
  float volume, mass;
  int material;
};
#include "zone_layout.h"

void check(cudaError_t error, const char *what) {
  if (error != cudaSuccess)
    std::printf("%s failed\n", what);
}

char *toDevice(char *from, size_t size) {
  char *made;
  cudaMalloc((void **)&made, size);
  cudaMemcpy(made, from, size, cudaMemcpyHostToDevice);
  return made;
}

ZoneView zoneToDevice(Zone *from, size_t size) {
  ZoneView made;
  zoneMalloc(&made, size);
  zoneMemcpy(made, from, size, cudaMemcpyHostToDevice);
  return made;
}

void allocate(char **place, size_t size, const char *name) {
  check(cudaMalloc((void **)place, size), name);
}

void allocate(ZoneView *place, size_t size, const char *name) {
  check(zoneMalloc(place, size), name);
}

void toHost(char *to, const char *from, size_t size, const char *name) {
  if (to != NULL)
    check(cudaMemcpy(to, from, size, cudaMemcpyDeviceToHost), name);
}

void toHost(Zone *to, ConstZoneView from, size_t size, const char *name) {
  if (to != NULL)
    check(zoneMemcpy(to, from, size, cudaMemcpyDeviceToHost), name);
}

const char *release(char *memory) {
  if (!memory)
    return "null";
  cudaFree(memory);
  return "freed";
}

const char *release(ZoneView memory) {
  if (!memory)
    return "null";
  zoneFree(memory);
  return "freed";
}

__global__ void advance(ZoneView zones, ConstZoneView before, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    zones.volume(i) += before.volume(i) * 0.5f;
    zones.mass(i) += before.mass(i);
    zones.material(i) += i % 2;
  }
}

__global__ void shift(float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    values[i] += i;
}

int main() {
  const int n = 600;
  Zone *host = (Zone *)malloc(n * sizeof(Zone));
  float values[n];
  for (int i = 0; i < n; ++i) {
    host[i].volume = i;
    host[i].mass = 2;
    host[i].material = i % 3;
    values[i] = i;
  }
  ZoneView zones = zoneToDevice(host, n * sizeof(Zone)), before;
  allocate(&before, n * sizeof(Zone), "zones");
  zoneMemcpy(before, host, n * sizeof(Zone), cudaMemcpyHostToDevice);
  float *v = (float *)toDevice((char *)values, sizeof(values));
  advance<<<5, 128>>>(zones, before, n);
  shift<<<5, 128>>>(v, n);
  toHost(host, zones, n * sizeof(Zone), "zones");
  toHost((char *)values, (char *)v, sizeof(values), "values");
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += host[i].volume + host[i].mass * host[i].material + values[i];
  std::printf("%g %s %s %s\n", sum, release(zones), release(before), release((char *)v));
}
