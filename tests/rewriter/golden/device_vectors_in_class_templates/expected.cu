// Class templates that hold Thrust vectors of records, and of numbers.
#include <cstdio>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <vector>

// Memory of the device with a copy on the host.
template <typename T, int Padding = 0> class Buffer {
public:
  explicit Buffer(std::size_t size) : host_(size), device_(size + Padding) {}
  Buffer(Buffer &&other) = default;

  T &operator[](std::size_t i) { return host_[i]; }
  T *data() { return thrust::raw_pointer_cast(device_.data()); }
  std::size_t size() const { return host_.size(); }

  void upload() { device_.assign(host_.data(), host_.data() + host_.size()); }
  const std::vector<T> &download() {
    thrust::copy(device_.begin(), device_.end(), host_.begin());
    return host_;
  }

private:
  std::vector<T> host_;
  thrust::device_vector<T> device_;
};

struct Cell {
  double density, energy;
  int level;
};
#include "cell_layout.h"

/// Records in device memory. The host constructs, copies and reads them, as it does those of a
/// thrust::device_vector<Cell>.
class CellDeviceVector {
public:
  CellDeviceVector() = default;
  explicit CellDeviceVector(std::size_t size) : CellDeviceVector() {
    makeRoom(size);
    check(cellMemset(elements_, 0, size_ * sizeof(Cell)));
  }
  CellDeviceVector(const CellDeviceVector &other) : CellDeviceVector() {
    *this = other;
  }
  CellDeviceVector(CellDeviceVector &&other) noexcept { swap(other); }
  ~CellDeviceVector() { cellFree(elements_); }

  CellDeviceVector &operator=(const CellDeviceVector &other) {
    if (this != &other) {
      makeRoom(other.size_);
      check(cellMemcpy(elements_, other.elements_, size_ * sizeof(Cell),
                       cudaMemcpyDeviceToDevice));
    }
    return *this;
  }
  CellDeviceVector &operator=(CellDeviceVector &&other) noexcept {
    CellDeviceVector taken(std::move(other));
    swap(taken);
    return *this;
  }
  void assign(const Cell *begin, const Cell *end) {
    makeRoom(static_cast<std::size_t>(end - begin));
    check(cellMemcpy(elements_, begin, size_ * sizeof(Cell), cudaMemcpyHostToDevice));
  }

  void copyTo(Cell *host) const {
    check(cellMemcpy(host, elements_, size_ * sizeof(Cell), cudaMemcpyDeviceToHost));
  }

  CellView data() { return elements_; }

  std::size_t size() const { return size_; }
  void swap(CellDeviceVector &other) noexcept {
    std::swap(elements_, other.elements_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

private:
  static void check(cudaError_t status) {
    if (status != cudaSuccess)
      throw std::runtime_error(cudaGetErrorString(status));
  }
  /// Keeps no elements.
  void makeRoom(std::size_t size) {
    if (size > capacity_) {
      CellDeviceVector larger;
      larger.allocate(size > 2 * capacity_ ? size : 2 * capacity_);
      swap(larger);
    }
    size_ = size;
  }
  void allocate(std::size_t capacity) {
    if (cellMalloc(&elements_, capacity * sizeof(Cell)) != cudaSuccess)
      throw std::bad_alloc();
    capacity_ = capacity;
  }

  CellView elements_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0; ///< elements that the memory has room for
};

template <> class Buffer<Cell, 0> {
public:
  explicit Buffer(std::size_t size) : host_(size), device_(size + 0) {}
  Buffer(Buffer &&other) = default;

  Cell &operator[](std::size_t i) { return host_[i]; }
  CellView data() { return device_.data(); }
  std::size_t size() const { return host_.size(); }

  void upload() { device_.assign(host_.data(), host_.data() + host_.size()); }
  const std::vector<Cell> &download() {
    device_.copyTo(host_.data());
    return host_;
  }

private:
  std::vector<Cell> host_;
  CellDeviceVector device_;
};

__global__ void heat(CellView cells, const float *sources, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    cells.energy(i) += cells.density(i) * sources[i];
}

int main() {
  const int n = 70;
  Buffer<Cell> cells(n);
  Buffer<float> sources(n);
  for (int i = 0; i < n; ++i) {
    cells[i] = {1.0 + i, 0.5 * i, i % 3};
    sources[i] = 0.25f * i;
  }
  cells.upload();
  sources.upload();
  Buffer<Cell> moved = std::move(cells);
  heat<<<(n + 31) / 32, 32>>>(moved.data(), sources.data(), n);
  std::printf("%g %d\n", moved.download()[9].energy, moved[8].level);
}
