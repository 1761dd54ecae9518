// Thrust's vectors that functions are given and return, of a record in a namespace and of a type of
// CUDA's.
// clang-format off
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

#include <cstdio>
#include <vector>

#include "float3_layout.h"

namespace fluid {

struct Cell {
  float heat, flow;
  int kind;
};
} // namespace fluid
#include "cell_layout.h"
namespace fluid {

__global__ void warm(CellView cells, Float3View forces, int n) {
  const int i = threadIdx.x;
  if (i < n) {
    cells.heat(i) += cells.flow(i) + forces.y(i);
    forces.x(i) += cells.kind(i);
  }
}

/// Records in device memory. The host constructs, copies and reads them, as it does those of a
/// thrust::device_vector<Cell>.
class CellDeviceVector {
public:
  CellDeviceVector() = default;
  CellDeviceVector(std::size_t size, const Cell &value) : CellDeviceVector() {
    assign(size, value);
  }
  CellDeviceVector(const Cell *begin, const Cell *end) : CellDeviceVector() {
    assign(begin, end);
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
  void assign(std::size_t size, const Cell &value) {
    makeRoom(size);
    fill(value);
  }

  operator std::vector<Cell>() const {
    std::vector<Cell> host(size_);
    copyTo(host.data());
    return host;
  }
  void copyTo(Cell *host) const {
    check(cellMemcpy(host, elements_, size_ * sizeof(Cell), cudaMemcpyDeviceToHost));
  }
  void copyFrom(const CellDeviceVector &other) {
    check(cellMemcpy(elements_, other.elements_, other.size_ * sizeof(Cell),
                     cudaMemcpyDeviceToDevice));
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
  void fill(const Cell &value) {
    const std::vector<Cell> values(size_, value);
    check(cellMemcpy(elements_, values.data(), values.size() * sizeof(Cell),
                     cudaMemcpyHostToDevice));
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

/// Records in device memory. The host constructs, copies and reads them, as it does those of a
/// thrust::device_vector<float3>.
class Float3DeviceVector {
public:
  Float3DeviceVector() = default;
  Float3DeviceVector(const float3 *begin, const float3 *end) : Float3DeviceVector() {
    assign(begin, end);
  }
  Float3DeviceVector(const Float3DeviceVector &) = delete;
  Float3DeviceVector(Float3DeviceVector &&other) noexcept { swap(other); }
  ~Float3DeviceVector() { float3Free(elements_); }

  Float3DeviceVector &operator=(const Float3DeviceVector &) = delete;
  Float3DeviceVector &operator=(Float3DeviceVector &&other) noexcept {
    Float3DeviceVector taken(std::move(other));
    swap(taken);
    return *this;
  }
  void assign(const float3 *begin, const float3 *end) {
    makeRoom(static_cast<std::size_t>(end - begin));
    check(float3Memcpy(elements_, begin, size_ * sizeof(float3), cudaMemcpyHostToDevice));
  }

  operator thrust::host_vector<float3>() const {
    thrust::host_vector<float3> host(size_);
    copyTo(host.data());
    return host;
  }
  void copyTo(float3 *host) const {
    check(float3Memcpy(host, elements_, size_ * sizeof(float3), cudaMemcpyDeviceToHost));
  }

  Float3View data() { return elements_; }
  float3 get(std::size_t i) const {
    float3 element;
    check(float3Memcpy(&element, elements_ + i, sizeof(float3), cudaMemcpyDeviceToHost));
    return element;
  }

  std::size_t size() const { return size_; }
  void swap(Float3DeviceVector &other) noexcept {
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
      Float3DeviceVector larger;
      larger.allocate(size > 2 * capacity_ ? size : 2 * capacity_);
      swap(larger);
    }
    size_ = size;
  }
  void allocate(std::size_t capacity) {
    if (float3Malloc(&elements_, capacity * sizeof(float3)) != cudaSuccess)
      throw std::bad_alloc();
    capacity_ = capacity;
  }

  Float3View elements_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0; ///< elements that the memory has room for
};

// A comment of the function's.
void run(CellDeviceVector &cells, Float3DeviceVector &forces) {
  warm<<<1, 64>>>(cells.data(), forces.data(),
                  int(cells.size()));
}

CellDeviceVector filled(int n, const Cell &cell) {
  CellDeviceVector cells(n, cell);
  return cells;
}

} // namespace fluid

using thrust::device_vector;

float sum(const fluid::CellDeviceVector &cells) {
  std::vector<fluid::Cell> host(cells);
  float total = 0;
  for (const fluid::Cell &cell : host)
    total += cell.heat;
  return total;
}

int main() {
  std::vector<fluid::Cell> host(12);
  for (int i = 0; i < 12; ++i)
    host[i] = {float(i), 0.5f * i, i % 4};
  float3 origin[12] = {};
  fluid::CellDeviceVector cells(host.data(), host.data() + host.size()), few(host.data() + 2, host.data() + host.size()), copy(few);
  fluid::Float3DeviceVector forces(origin, origin + 12);
  fluid::run(cells, forces);
  fluid::run(few, forces);
  std::printf("%g %g\n", sum(cells), sum(few));
  cells = fluid::filled(6, host[3]);
  fluid::run(cells, forces);
  few.assign(host.data(), host.data() + host.size());
  few.copyFrom(cells);
  few.copyTo(&host[0]);
  copy.assign(5, host[4]);
  fluid::run(copy, forces);
  std::printf("%g %g\n", sum(cells), sum(copy) + host[8].heat);
  thrust::host_vector<float3> back = forces;
  const float3 first = forces.get(0);
  std::printf("%g %g\n", back[1].x, first.x);
}
