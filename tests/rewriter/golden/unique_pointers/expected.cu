// Objects that own an array by a deleter for its type.
// clang-format off
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

struct Cell { float heat, flow; int age; };
#include "cell_layout.h"

struct FreeCells {
  using pointer = CellView;
  // Null is left alone.
  void operator()(CellView cells) const { cellFree(cells); }
};
using Cells = std::unique_ptr<Cell[], FreeCells>;

Cells makeCells(size_t n) {
  CellView cells = nullptr;
  cellMalloc(&cells, n * sizeof(Cell));
  return Cells(cells);
}

template <class T> struct Free {
  typedef T *pointer;
  void operator()(T *p) const { if (p) cudaFree(p); }
};

template <> struct Free<Cell> {
  typedef CellView pointer;
  void operator()(CellView p) const { if (p) cellFree(p); }
};

template <class T> class Buffer {
public:
  explicit Buffer(size_t n) : size_(n) {
    T *p = nullptr;
    cudaMalloc(reinterpret_cast<void **>(&p), n * sizeof(T));
    data_.reset(p);
  }
  T *data() { return data_.get(); }
  void copyFrom(const std::vector<T> &host) { cudaMemcpy(data_.get(), host.data(), size_ * sizeof(T), cudaMemcpyHostToDevice); }
private:
  std::unique_ptr<T[], Free<T>> data_;
  size_t size_;
};

template <> class Buffer<Cell> {
public:
  explicit Buffer(size_t n) : size_(n) {
    CellView p = nullptr;
    cellMalloc(&p, n * sizeof(Cell));
    data_.reset(p);
  }
  CellView data() { return data_.get(); }
  void copyFrom(const std::vector<Cell> &host) { cellMemcpy(data_.get(), host.data(), size_ * sizeof(Cell), cudaMemcpyHostToDevice); }
private:
  std::unique_ptr<Cell[], Free<Cell>> data_;
  size_t size_;
};

class FreeManaged {
public:
  using pointer = CellView;
  void operator()(CellView cells) const { cellFree(cells); }
};

__global__ void step(CellView cells, ConstCellView before, const int *ages, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    cells.heat(i) = before.heat(i) + before.flow(i);
    cells.age(i) = ages[i];
  }
}

struct Grid {
  Cells cells;
  std::unique_ptr<Cell, FreeManaged> first;
  int n = 0;
};

int main() {
  const int n = 100;
  std::vector<Cell> host(n);
  for (int i = 0; i < n; ++i) host[i] = {float(i), 1, 0};
  Grid grid{makeCells(n), nullptr, n};
  CellView managed = nullptr;
  cellMallocManaged(&managed, sizeof(Cell));
  grid.first.reset(managed);
  grid.first.get().age() = 7;
  grid.first.get().heat() = 1;
  Buffer<Cell> before(n);
  Buffer<int> ages(n);
  before.copyFrom(host);
  ages.copyFrom(std::vector<int>(n, 3));
  Cells spare = makeCells(n), other;
  if (!other && spare != nullptr) std::swap(spare, other);
  spare = std::move(other);
  other.reset(spare.release());
  grid.cells.swap(other);
  step<<<1, 128>>>(grid.cells.get(), before.data(), ages.data(), n);
  step<<<1, 1>>>(grid.first.get(), before.data(), ages.data(), 1);
  cudaDeviceSynchronize();
  cellMemcpy(host.data(), grid.cells.get(), n * sizeof(Cell), cudaMemcpyDeviceToHost);
  std::vector<std::unique_ptr<Cell[], FreeManaged>> more;
  cellMallocManaged(&managed, n * sizeof(Cell));
  more.push_back(std::unique_ptr<Cell[], FreeManaged>(managed));
  for (int i = 0; i < n; ++i) more[0].get().flow(i) = 2;
  step<<<1, 128>>>(more.back().get(), more.back().get(), ages.data(), n);
  cudaDeviceSynchronize();
  double sum = grid.first.get().heat() + more[0].get().age(n - 1);
  for (const Cell &cell : host) sum += cell.heat + cell.age;
  printf("%g %d\n", sum, int(other == nullptr));
}
