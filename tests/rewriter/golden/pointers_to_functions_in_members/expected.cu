// Members that point to functions: stored as they are, and given views where such functions take
// arrays of a record.
// clang-format off
#include <cstdio>

struct Rule;
class RuleView;
class ConstRuleView;

struct Tick;
class TickView;
class ConstTickView;

/// Declared before what its function takes is defined.
struct Rule {
  float gain;
  void (*apply)(RuleView, ConstTickView, int);
};
#include "rule_layout.h"

struct Tick {
  float price, volume;
};
#include "tick_layout.h"

typedef float (*Weight)(float);

struct Cell;
class CellView;
class ConstCellView;

typedef void (*Action)(CellView, ConstCellView, float);

struct Cell {
  Weight weight;
  Action action;
  float value;
  float (*both[2])(float, float);
};
#include "cell_layout.h"

__device__ float half(float x) { return 0.5f * x; }
__device__ float twice(float x) { return 2 * x; }
__device__ float sum(float x, float y) { return x + y; }
__device__ float difference(float x, float y) { return x - y; }

__device__ void grow(CellView cell, ConstCellView other, float by) { cell.value() += other.value() * by; }
__device__ void shrink(CellView cell, ConstCellView, float by) { cell.value() -= by; }

__device__ void follow(RuleView self, ConstTickView ticks, int n) {
  for (int i = 0; i < n; ++i)
    self.gain() += ticks.price(i) * ticks.volume(i);
}

__device__ void oppose(RuleView self, ConstTickView ticks, int n) {
  for (int i = 0; i < n; ++i)
    self.gain() -= ticks.price(i);
}

__global__ void start(RuleView rules, CellView cells, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  rules.gain(i) = i;
  rules.apply(i) = i % 2 ? follow : oppose;
  cells.weight(i) = i % 3 ? half : twice;
  cells.value(i) = i;
  cells.action(i) = i % 2 ? grow : shrink;
  cells.both(i)[0] = sum;
  cells.both(i)[1] = difference;
}

__global__ void step(RuleView rules, ConstTickView ticks, CellView cells, int n, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  rules.apply(i)(rules + i, ticks, count);
  CellView cell = cells + i;
  cell.value() = cell.weight()(cell.value());
  cell.value() = cells.both(i)[i % 2](cell.value(), 3);
  cell.action()(cell, cells + i, 2);
  if (cell.weight() != nullptr)
    cell.value() += 1;
}

int main() {
  const int n = 100, count = 7;
  Tick host[count];
  for (int i = 0; i < count; ++i)
    host[i] = {1.0f + i, 2.0f};
  RuleView rules;
  TickView ticks;
  CellView cells;
  ruleMalloc(&rules, n * sizeof(Rule));
  tickMalloc(&ticks, count * sizeof(Tick));
  cellMalloc(&cells, n * sizeof(Cell));
  cellMemset(cells, 0, n * sizeof(Cell));
  tickMemcpy(ticks, host, count * sizeof(Tick), cudaMemcpyHostToDevice);
  start<<<1, 128>>>(rules, cells, n);
  step<<<1, 128>>>(rules, ticks, cells, n, count);
  static Rule applied[n];
  ruleMemcpy(applied, rules, n * sizeof(Rule), cudaMemcpyDeviceToHost);
  static Cell changed[n];
  cellMemcpy(changed, cells, n * sizeof(Cell), cudaMemcpyDeviceToHost);
  double all = 0;
  for (int i = 0; i < n; ++i)
    all += applied[i].gain + changed[i].value;
  std::printf("%.9g\n", all);
  ruleFree(rules);
  tickFree(ticks);
  cellFree(cells);
}
