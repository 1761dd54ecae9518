// Objects that own an array by a deleter for its type.
// clang-format off
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

struct Cell { float heat, flow; int age; };

struct FreeCells {
  // Null is left alone.
  void operator()(Cell *cells) const { cudaFree(cells); }
};
using Cells = std::unique_ptr<Cell[], FreeCells>;

Cells makeCells(size_t n) {
  Cell *cells = nullptr;
  cudaMalloc(&cells, n * sizeof(Cell));
  return Cells(cells);
}

template <class T> struct Free {
  typedef T *pointer;
  void operator()(T *p) const { if (p) cudaFree(p); }
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

class FreeManaged {
public:
  void operator()(Cell *cells) const { cudaFree(cells); }
};

__global__ void step(Cell *cells, const Cell *before, const int *ages, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    cells[i].heat = before[i].heat + before[i].flow;
    cells[i].age = ages[i];
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
  Cell *managed = nullptr;
  cudaMallocManaged(&managed, sizeof(Cell));
  grid.first.reset(managed);
  grid.first->age = 7;
  (*grid.first).heat = 1;
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
  cudaMemcpy(host.data(), grid.cells.get(), n * sizeof(Cell), cudaMemcpyDeviceToHost);
  std::vector<std::unique_ptr<Cell[], FreeManaged>> more;
  cudaMallocManaged(&managed, n * sizeof(Cell));
  more.push_back(std::unique_ptr<Cell[], FreeManaged>(managed));
  for (int i = 0; i < n; ++i) more[0][i].flow = 2;
  step<<<1, 128>>>(more.back().get(), more.back().get(), ages.data(), n);
  cudaDeviceSynchronize();
  double sum = grid.first->heat + more[0][n - 1].age;
  for (const Cell &cell : host) sum += cell.heat + cell.age;
  printf("%g %d\n", sum, int(other == nullptr));
}
