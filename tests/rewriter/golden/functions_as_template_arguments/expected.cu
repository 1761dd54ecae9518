// Templates over the record that take functions and templates as arguments.
#include <cstdio>
#include <vector>

struct Cell {
  float value, rate, sum;
  int kind;
};
#include "cell_layout.h"

namespace rules {
__device__ inline float square(float v) { return v * v; }
template <class T> __device__ T half(T v) { return v / 2; }
__device__ inline float loss(const Cell &cell) { return cell.rate * cell.sum; }
} // namespace rules

template <class T> struct Decay {
  static __device__ float of(const T &cell) { return cell.value * 0.5f; }
};

template <class T, float (*F)(float)> __global__ void change(T *cells, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    cells[i].value += F(cells[i].rate);
}

__global__ void cellChange_rules_half_float(CellView cells, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    cells.value(i) += ::rules::half<float>(cells.rate(i));
}

__global__ void cellChange_rules_square(CellView cells, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    cells.value(i) += ::rules::square(cells.rate(i));
}

template <class T, float (*F)(const T &)> __global__ void take(T *cells, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    cells[i].value -= F(cells[i]);
}

__global__ void take(CellView cells, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    cells.value(i) -= ::rules::loss(cells.load(i));
}

template <class T, template <class> class Rule> __global__ void decay(T *cells, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    cells[i].sum = Rule<T>::of(cells[i]);
}

__global__ void decay(CellView cells, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    cells.sum(i) = ::Decay<Cell>::of(cells.load(i));
}

template <class T, float (*F)(float), template <class> class Rule> class Grid {
public:
  explicit Grid(int n) : n_(n) { cudaMalloc(&cells_, n * sizeof(T)); }
  ~Grid() { cudaFree(cells_); }
  T *cells() { return cells_; }
  void step() {
    change<T, F><<<(n_ + 127) / 128, 128>>>(cells_, n_);
    decay<T, Rule><<<(n_ + 127) / 128, 128>>>(cells_, n_);
  }

private:
  T *cells_ = nullptr;
  int n_;
};

template <> class Grid<Cell, ::rules::square, ::Decay> {
public:
  explicit Grid(int n) : n_(n) { cellMalloc(&cells_, n * sizeof(Cell)); }
  ~Grid() { cellFree(cells_); }
  CellView cells() { return cells_; }
  void step() {
    cellChange_rules_square<<<(n_ + 127) / 128, 128>>>(cells_, n_);
    decay<<<(n_ + 127) / 128, 128>>>(cells_, n_);
  }

private:
  CellView cells_ = nullptr;
  int n_;
};

int main() {
  const int n = 300;
  std::vector<Cell> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = {1.0f * i, 0.5f * i, 0, i % 3};
  Grid<Cell, rules::square, Decay> grid(n);
  cellMemcpy(grid.cells(), host.data(), n * sizeof(Cell), cudaMemcpyHostToDevice);
  grid.step();
  cellChange_rules_half_float<<<(n + 127) / 128, 128>>>(grid.cells(), n);
  take<<<(n + 127) / 128, 128>>>(grid.cells(), n);
  cellMemcpy(host.data(), grid.cells(), n * sizeof(Cell), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (const Cell &cell : host)
    sum += cell.value + cell.sum;
  std::printf("%f\n", sum);
}
