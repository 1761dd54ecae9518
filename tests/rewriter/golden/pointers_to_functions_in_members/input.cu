// Members that point to functions: stored as they are, and given views where such functions take
// arrays of a record.
// clang-format off
#include <cstdio>

/// Declared before what its function takes is defined.
struct Rule {
  float gain;
  void (*apply)(struct Rule *, const struct Tick *, int);
};

struct Tick {
  float price, volume;
};

typedef float (*Weight)(float);

struct Cell;
typedef void (*Action)(struct Cell *, const struct Cell *, float);

struct Cell {
  Weight weight;
  Action action;
  float value;
  float (*both[2])(float, float);
};

__device__ float half(float x) { return 0.5f * x; }
__device__ float twice(float x) { return 2 * x; }
__device__ float sum(float x, float y) { return x + y; }
__device__ float difference(float x, float y) { return x - y; }

__device__ void grow(Cell *cell, const Cell *other, float by) { cell->value += other->value * by; }
__device__ void shrink(Cell *cell, const Cell *, float by) { cell->value -= by; }

__device__ void follow(Rule *self, const Tick *ticks, int n) {
  for (int i = 0; i < n; ++i)
    self->gain += ticks[i].price * ticks[i].volume;
}

__device__ void oppose(Rule *self, const Tick *ticks, int n) {
  for (int i = 0; i < n; ++i)
    self->gain -= ticks[i].price;
}

__global__ void start(Rule *rules, Cell *cells, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  rules[i].gain = i;
  rules[i].apply = i % 2 ? follow : oppose;
  cells[i].weight = i % 3 ? half : twice;
  cells[i].value = i;
  cells[i].action = i % 2 ? grow : shrink;
  cells[i].both[0] = sum;
  cells[i].both[1] = difference;
}

__global__ void step(Rule *rules, const Tick *ticks, Cell *cells, int n, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  rules[i].apply(&rules[i], ticks, count);
  Cell &cell = cells[i];
  cell.value = cell.weight(cell.value);
  cell.value = cells[i].both[i % 2](cell.value, 3);
  cell.action(&cell, cells + i, 2);
  if (cell.weight != nullptr)
    cell.value += 1;
}

int main() {
  const int n = 100, count = 7;
  Tick host[count];
  for (int i = 0; i < count; ++i)
    host[i] = {1.0f + i, 2.0f};
  Rule *rules;
  Tick *ticks;
  Cell *cells;
  cudaMalloc(&rules, n * sizeof(Rule));
  cudaMalloc(&ticks, count * sizeof(Tick));
  cudaMalloc(&cells, n * sizeof(Cell));
  cudaMemset(cells, 0, n * sizeof(Cell));
  cudaMemcpy(ticks, host, count * sizeof(Tick), cudaMemcpyHostToDevice);
  start<<<1, 128>>>(rules, cells, n);
  step<<<1, 128>>>(rules, ticks, cells, n, count);
  static Rule applied[n];
  cudaMemcpy(applied, rules, n * sizeof(Rule), cudaMemcpyDeviceToHost);
  static Cell changed[n];
  cudaMemcpy(changed, cells, n * sizeof(Cell), cudaMemcpyDeviceToHost);
  double all = 0;
  for (int i = 0; i < n; ++i)
    all += applied[i].gain + changed[i].value;
  std::printf("%.9g\n", all);
  cudaFree(rules);
  cudaFree(ticks);
  cudaFree(cells);
}
