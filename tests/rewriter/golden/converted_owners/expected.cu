// Objects that stand for the pointer that they own, by a conversion function.
// clang-format off
#include <cstdio>
#include <vector>

struct Cell { float heat, flow; int age; };
#include "cell_layout.h"

template <class T> class Device {
public:
  explicit Device(size_t n) { cudaMalloc(&data_, n * sizeof(T)); }
  ~Device() { cudaFree(data_); }
  operator T *() { return data_; }
  operator const T *() const { return data_; }
private:
  T *data_;
};

template <> class Device<Cell> {
public:
  explicit Device(size_t n) { cellMalloc(&data_, n * sizeof(Cell)); }
  ~Device() { cellFree(data_); }
  operator CellView() { return data_; }
  operator ConstCellView() const { return data_; }
private:
  CellView data_;
};

struct Span {
  CellView first;
  int size;
  __host__ __device__ operator CellView() const { return first; }
};

struct Pair { ConstCellView a, b; };

__device__ float heatOf(ConstCellView cell) { return cell.heat(); }

__global__ void step(Span cells, ConstCellView before, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || !CellView(cells))
    return;
  CellView(cells).flow(i) = heatOf(before + i) - heatOf(cells);
  CellView(cells).age() = 1;
  CellView own = CellView(cells) + i;
  own.heat() += 1;
  CellView next = CellView(cells) + ((i + 1) % n);
  if (CellView(cells) == own)
    next.age() = 2;
  Pair both{CellView(cells), own};
  ConstCellView last = CellView(cells);
  last = n > 1 ? CellView(cells) + (n - 1) : CellView(cells);
  own.flow() += both.b.heat() + last.age();
}

float sum(const Device<Cell> &cells, int n) {
  std::vector<Cell> host(n);
  cellMemcpy(host.data(), cells, n * sizeof(Cell), cudaMemcpyDeviceToHost);
  ConstCellView device = cells;
  cellMemcpy(&host[0], device + 1, sizeof(Cell), cudaMemcpyDeviceToHost);
  float all = 0;
  for (const Cell &cell : host) all += cell.heat + cell.flow + cell.age;
  return all;
}

int main() {
  const int n = 100;
  Device<Cell> cells(n), before(n);
  std::vector<Cell> host(n);
  for (int i = 0; i < n; ++i) host[i] = {float(i), 1, 0};
  cellMemcpy(before, host.data(), n * sizeof(Cell), cudaMemcpyHostToDevice);
  cellMemcpy(cells, before, n * sizeof(Cell), cudaMemcpyDeviceToDevice);
  Span span = {CellView(cells), n};
  if (CellView(span))
    step<<<1, 1>>>(span, before, 1);
  step<<<1, 1>>>({CellView(cells) + 1, n - 1}, before, 1);
  printf("%g\n", sum(cells, n));
}
