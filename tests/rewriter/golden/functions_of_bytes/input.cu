// Functions on memory of any type that say `char *` for it; what is text stays text.
// clang-format off
#include <cstdio>
#include <cstdlib>

struct Zone {
  float volume, mass;
  int material;
};

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

void allocate(char **place, size_t size, const char *name) {
  check(cudaMalloc((void **)place, size), name);
}

void toHost(char *to, const char *from, size_t size, const char *name) {
  if (to != NULL)
    check(cudaMemcpy(to, from, size, cudaMemcpyDeviceToHost), name);
}

const char *release(char *memory) {
  if (!memory)
    return "null";
  cudaFree(memory);
  return "freed";
}

__global__ void advance(Zone *zones, const Zone *before, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    zones[i].volume += before[i].volume * 0.5f;
    zones[i].mass += before[i].mass;
    zones[i].material += i % 2;
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
  Zone *zones = (Zone *)toDevice((char *)host, n * sizeof(Zone)), *before;
  allocate((char **)&before, n * sizeof(Zone), "zones");
  cudaMemcpy((char *)before, (const char *)host, n * sizeof(Zone), cudaMemcpyHostToDevice);
  float *v = (float *)toDevice((char *)values, sizeof(values));
  advance<<<5, 128>>>(zones, before, n);
  shift<<<5, 128>>>(v, n);
  toHost((char *)host, (char *)zones, n * sizeof(Zone), "zones");
  toHost((char *)values, (char *)v, sizeof(values), "values");
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += host[i].volume + host[i].mass * host[i].material + values[i];
  std::printf("%g %s %s %s\n", sum, release((char *)zones), release((char *)before), release((char *)v));
}
