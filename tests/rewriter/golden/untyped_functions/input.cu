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

struct Cell {
  int count;
  float sum;
};

struct Simulation {
  Body *bodies, *others;
  int n;
  explicit Simulation(int count) : bodies((Body *)devAlloc(count * sizeof(Body))), n(count) {
    gpuMalloc((void **)&others, n * sizeof(Body));
  }
  ~Simulation() {
    release(bodies);
    release((void *)others);
  }
};

__global__ void step(Body *a, const Body *b, Cell *cells, float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  a[i].x += b[i].y;
  a[i].mass *= 2;
  a[i].kind++;
  sums[i] = a[i].x;
  cells[i].count += a[i].kind;
  cells[i].sum += sums[i];
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
    Cell *cells;
    gpuMalloc(reinterpret_cast<void **>(&cells), n * sizeof(Cell), true);
    copyIn(simulation.bodies, host, n * sizeof(Body));
    copyAny(simulation.others, host, n * sizeof(Body), cudaMemcpyHostToDevice);
    Body *third = static_cast<Body *>(toDevice((void *)host, n * sizeof(Body)));
    copyAny(simulation.others, third, n * sizeof(Body), cudaMemcpyDeviceToDevice);
    Body *fourth = static_cast<Body *>(toDevice((void *)host, n * sizeof(Body))), *staged;
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
