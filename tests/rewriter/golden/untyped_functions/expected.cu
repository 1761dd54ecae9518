// Functions of the program that allocate, copy and free memory of any type.
// clang-format off
#include <cstdio>
#include <cstdlib>

#define CHECK(call) check((call), __FILE__)

static void check(cudaError_t status, const char *file) {
  if (status != cudaSuccess) {
    printf("%s: %s\n", file, cudaGetErrorString(status));
    exit(1);
  }
}

static size_t allocated = 0;

void *devAlloc(size_t bytes) {
  void *memory = NULL;
  CHECK(cudaMalloc(&memory, bytes));
  if (!memory)
    exit(2);
  allocated += bytes;
  return memory;
}

inline void gpuMalloc(void** memory, size_t bytes, bool clear = true) {
  CHECK(cudaMalloc((void **)memory, bytes));
  if (clear)
    CHECK(cudaMemset(*memory, 0, bytes));
}

void copyIn(void *to, const void *from, size_t bytes) {
  CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
}

void copyOut(void *to, void const *from, size_t bytes) {
  CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
}

void copyAny(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  CHECK(cudaMemcpy(to, from, bytes, kind));
}

void *toDevice(const void *from, size_t bytes) {
  void *to;
  gpuMalloc(&to, bytes, false);
  copyIn(to, from, bytes);
  return to;
}

void release(void *memory) {
  if (memory != NULL)
    CHECK(cudaFree(memory));
}

void releaseBoth(void *memory, void *staging) {
  cudaFree(memory);
  cudaFreeHost(staging);
}

struct Body {
  float x, y;
  double mass;
  int kind;
};
#include "body_layout.h"

inline void gpuMalloc(BodyView* memory, size_t bytes, bool clear = true) {
  CHECK(bodyMalloc(memory, bytes));
  if (clear)
    CHECK(bodyMemset(*memory, 0, bytes));
}

void copyIn(BodyView to, const Body *from, size_t bytes) {
  CHECK(bodyMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
}

BodyView bodyDevAlloc(size_t bytes) {
  BodyView memory = NULL;
  CHECK(bodyMalloc(&memory, bytes));
  if (!memory)
    exit(2);
  allocated += bytes;
  return memory;
}

BodyView bodyToDevice(const Body *from, size_t bytes) {
  BodyView to;
  gpuMalloc(&to, bytes, false);
  copyIn(to, from, bytes);
  return to;
}

void copyAny(BodyView to, ConstBodyView from, size_t bytes, cudaMemcpyKind kind) {
  CHECK(bodyMemcpy(to, from, bytes, kind));
}

void copyAny(BodyView to, const Body *from, size_t bytes, cudaMemcpyKind kind) {
  CHECK(bodyMemcpy(to, from, bytes, kind));
}

void copyOut(Body *to, ConstBodyView from, size_t bytes) {
  CHECK(bodyMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
}

void release(BodyView memory) {
  if (memory != NULL)
    CHECK(bodyFree(memory));
}

void releaseBoth(BodyView memory, void *staging) {
  bodyFree(memory);
  cudaFreeHost(staging);
}

struct Cell {
  int count;
  float sum;
};
#include "cell_layout.h"

inline void gpuMalloc(CellView* memory, size_t bytes, bool clear = true) {
  CHECK(cellMalloc(memory, bytes));
  if (clear)
    CHECK(cellMemset(*memory, 0, bytes));
}

void copyOut(Cell *to, ConstCellView from, size_t bytes) {
  CHECK(cellMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
}

void release(CellView memory) {
  if (memory != NULL)
    CHECK(cellFree(memory));
}

struct Simulation {
  BodyView bodies, others;
  int n;
  explicit Simulation(int count) : bodies(bodyDevAlloc(count * sizeof(Body))), n(count) {
    gpuMalloc(&others, n * sizeof(Body));
  }
  ~Simulation() {
    release(bodies);
    release(others);
  }
};

__global__ void step(BodyView a, ConstBodyView b, CellView cells, float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  a.x(i) += b.y(i);
  a.mass(i) *= 2;
  a.kind(i)++;
  sums[i] = a.x(i);
  cells.count(i) += a.kind(i);
  cells.sum(i) += sums[i];
}

int main() {
  const int n = 100;
  Body *host = (Body *)calloc(n, sizeof(Body)), *out = (Body *)calloc(n, sizeof(Body));
  for (int i = 0; i < n; ++i) {
    host[i].x = i;
    host[i].y = 2 * i;
    host[i].mass = 1.5 * i;
    host[i].kind = i % 7;
  }
  Cell seen[n];
  float sums[n];
  {
    Simulation simulation(n);
    float *s = (float *)devAlloc(n * sizeof(float));
    CellView cells;
    gpuMalloc(&cells, n * sizeof(Cell), true);
    copyIn(simulation.bodies, host, n * sizeof(Body));
    copyAny(simulation.others, host, n * sizeof(Body), cudaMemcpyHostToDevice);
    BodyView third = bodyToDevice(host, n * sizeof(Body));
    copyAny(simulation.others, third, n * sizeof(Body), cudaMemcpyDeviceToDevice);
    BodyView fourth = bodyToDevice(host, n * sizeof(Body));
    Body *staged;
    copyAny(simulation.others, fourth, n * sizeof(Body), cudaMemcpyDeviceToDevice);
    float *stagedSums;
    cudaMallocHost(&staged, n * sizeof(Body));
    cudaMallocHost(&stagedSums, n * sizeof(float));
    step<<<4, 32>>>(simulation.bodies, simulation.others, cells, s, n);
    copyOut(out, simulation.bodies, n * sizeof(Body));
    copyOut(seen, cells, n * sizeof(Cell));
    copyOut((void *)sums, s, n * sizeof(float));
    releaseBoth(third, staged);
    releaseBoth(fourth, stagedSums);
    release(s);
    release(cells);
  }
  printf("%g %g %d %g %d\n", out[3].x, out[3].mass, out[3].kind, sums[5], seen[7].count);
  free(host);
  free(out);
}
