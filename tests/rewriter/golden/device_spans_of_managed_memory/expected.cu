// Spans over memory that host and kernels share, whose types are deduced; a list of parts.
// clang-format off
#include <cstdio>
#include <span>
#include <utility>
#include <vector>

struct Cell { float heat; int age; };
#include "cell_layout.h"

/// A part of an array in device memory, as a std::span<Cell> is of any.
class CellSpan {
public:
  CellSpan() = default;
  __host__ __device__ CellSpan(CellView data, std::size_t size) : data_(data), size_(size) {}

  __host__ __device__ CellView operator[](std::size_t i) const { return data_ + i; }
  __host__ __device__ CellView front() const { return data_; }
  __host__ __device__ CellView data() const { return data_; }
  __host__ __device__ std::size_t size() const { return size_; }
  __host__ __device__ bool empty() const { return size_ == 0; }
  __host__ __device__ CellSpan subspan(std::size_t offset,
                                std::size_t count = std::dynamic_extent) const {
    return CellSpan(data_ + offset, count != std::dynamic_extent ? count : size_ - offset);
  }

private:
  CellView data_ = nullptr;
  std::size_t size_ = 0;
};

/// The same of elements that do not change.
class ConstCellSpan {
public:
  ConstCellSpan() = default;
  __host__ __device__ ConstCellSpan(ConstCellView begin, ConstCellView end) : data_(begin), size_(end - begin) {}
  __host__ __device__ ConstCellSpan(const CellSpan &other) : data_(other.data()), size_(other.size()) {}

  __host__ __device__ ConstCellView operator[](std::size_t i) const { return data_ + i; }

private:
  ConstCellView data_ = nullptr;
  std::size_t size_ = 0;
};

__global__ void relax(CellSpan cells, ConstCellSpan old) {
  std::size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0 || i + 1 >= cells.size()) return;
  cells[i].heat() = 0.25f * (old[i - 1].heat() + 2 * old[i].heat() + old[i + 1].heat());
  cells[i].age()++;
}

static double sum(const CellSpan &cells) {
  double all = 0;
  for (auto rest = cells; !rest.empty(); rest = rest.subspan(1)) {
    auto cell = rest.front();
    all += cell.heat() + cell.age();
  }
  return all;
}

int main() {
  const std::size_t n = 1024;
  CellView a, b;
  cellMallocManaged(&a, n * sizeof(Cell));
  cellMallocManaged(&b, n * sizeof(Cell));
  CellSpan cells{a, n};
  auto old = CellSpan{b, n};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    CellView cell = cells[i];
    cell.store(0, Cell{1.f, 0});
  }
  int k = 0;
  for (std::size_t i = 0; i < old.size(); ++i) {
    auto cell = old[i]; cell.heat() = k++ % 100; cell.age() = 0; }
  std::vector<CellSpan> parts;
  for (std::size_t i = 0; i < 4; ++i) parts.push_back(old.subspan(i * n / 4, n / 4));
  for (int step = 0; step < 4; ++step) {
    relax<<<n / 256, 256>>>(cells, old);
    cudaDeviceSynchronize();
    std::swap(cells, old);
  }
  relax<<<n / 256, 256>>>({a, n}, ConstCellSpan(b, b + n));
  cudaDeviceSynchronize();
  for (CellSpan part : parts) printf("%g\n", sum(part));
  printf("%g %g\n", sum(cells), sum(old));
  cellFree(a);
  cellFree(b);
}
