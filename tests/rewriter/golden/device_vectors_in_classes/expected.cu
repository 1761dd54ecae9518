// Thrust's vectors as members: elements by number, other sizes, exchanges.
// clang-format off
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

#include <cstdio>
#include <utility>
#include <vector>

struct Body {
  float x = 1, v = 2;
  short kind = 3;
};
#include "body_layout.h"

__global__ void drift(BodyView bodies, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    bodies.x(i) += bodies.v(i) * bodies.kind(i);
}

struct Range {
  BodyView first;
  int count;
};

__global__ void driftRange(Range range) {
  if (threadIdx.x < range.count)
    range.first.x(threadIdx.x) += 1;
}

/// Records in device memory. The host constructs, copies and reads them, as it does those of a
/// thrust::device_vector<Body>.
class BodyDeviceVector {
public:
  BodyDeviceVector() = default;
  explicit BodyDeviceVector(std::size_t size) : BodyDeviceVector() {
    makeRoom(size);
    fill(0, Body());
  }
  BodyDeviceVector(const BodyDeviceVector &other) : BodyDeviceVector() {
    *this = other;
  }
  BodyDeviceVector(BodyDeviceVector &&other) noexcept { swap(other); }
  ~BodyDeviceVector() { bodyFree(elements_); }

  BodyDeviceVector &operator=(const BodyDeviceVector &other) {
    if (this != &other) {
      makeRoom(other.size_);
      check(bodyMemcpy(elements_, other.elements_, size_ * sizeof(Body),
                       cudaMemcpyDeviceToDevice));
    }
    return *this;
  }
  BodyDeviceVector &operator=(BodyDeviceVector &&other) noexcept {
    BodyDeviceVector taken(std::move(other));
    swap(taken);
    return *this;
  }

  operator thrust::host_vector<Body>() const {
    thrust::host_vector<Body> host(size_);
    copyTo(host.data());
    return host;
  }
  void copyTo(thrust::host_vector<Body> &host) const {
    host.resize(size_);
    copyTo(host.data());
  }
  void copyTo(Body *host) const {
    check(bodyMemcpy(host, elements_, size_ * sizeof(Body), cudaMemcpyDeviceToHost));
  }

  BodyView data() { return elements_; }
  Body get(std::size_t i) const {
    Body element;
    check(bodyMemcpy(&element, elements_ + i, sizeof(Body), cudaMemcpyDeviceToHost));
    return element;
  }
  void set(std::size_t i, const Body &element) {
    check(bodyMemcpy(elements_ + i, &element, sizeof(Body), cudaMemcpyHostToDevice));
  }
  void push_back(const Body &element) {
    changeSize(size_ + 1);
    set(size_ - 1, element);
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  void clear() { size_ = 0; }
  void resize(std::size_t size) {
    const std::size_t before = size_;
    changeSize(size);
    if (size > before)
      fill(before, Body());
  }
  void resize(std::size_t size, const Body &value) {
    const std::size_t before = size_;
    changeSize(size);
    if (size > before)
      fill(before, value);
  }
  void reserve(std::size_t capacity) {
    if (capacity <= capacity_)
      return;
    BodyDeviceVector larger;
    larger.allocate(capacity);
    check(bodyMemcpy(larger.elements_, elements_, size_ * sizeof(Body),
                     cudaMemcpyDeviceToDevice));
    larger.size_ = size_;
    swap(larger);
  }
  void swap(BodyDeviceVector &other) noexcept {
    std::swap(elements_, other.elements_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

private:
  static void check(cudaError_t status) {
    if (status != cudaSuccess)
      throw std::runtime_error(cudaGetErrorString(status));
  }
  void fill(std::size_t first, const Body &value) {
    const std::vector<Body> values(size_ - first, value);
    check(bodyMemcpy(elements_ + first, values.data(), values.size() * sizeof(Body),
                     cudaMemcpyHostToDevice));
  }
  /// Keeps no elements.
  void makeRoom(std::size_t size) {
    if (size > capacity_) {
      BodyDeviceVector larger;
      larger.allocate(size > 2 * capacity_ ? size : 2 * capacity_);
      swap(larger);
    }
    size_ = size;
  }
  /// Leaves new elements as the memory was.
  void changeSize(std::size_t size) {
    if (size > capacity_)
      reserve(size > 2 * capacity_ ? size : 2 * capacity_);
    size_ = size;
  }
  void allocate(std::size_t capacity) {
    if (bodyMalloc(&elements_, capacity * sizeof(Body)) != cudaSuccess)
      throw std::bad_alloc();
    capacity_ = capacity;
  }

  BodyView elements_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0; ///< elements that the memory has room for
};

// Two states, of which one is current.
class Simulation {
public:
  explicit Simulation(int n) : bodies_(n), marks_(n) {}

  void add(const std::vector<Body> &more) {
    const size_t before = bodies_.size();
    bodies_.resize(before + more.size());
    for (size_t i = 0; i < more.size(); ++i)
      bodies_.set(before + i, more[i]);
    bodies_.push_back(more[0]);
    bodies_.resize(bodies_.size() + 2, more.back());
    marks_.resize(bodies_.size());
  }

  void step() {
    const int n = static_cast<int>(bodies_.size());
    drift<<<(n + 31) / 32, 32>>>(bodies_.data(), n);
    Range range;
    range.first = (bodies_.data() + n / 2);
    range.count = n - n / 2;
    driftRange<<<1, 64>>>(range);
  }

  void exchange() {
    spare_ = bodies_;
    bodies_.swap(spare_);
    std::swap(bodies_, spare_);
  }

  bool empty() const { return bodies_.empty(); }
  Body at(int i) const { return bodies_.get(i); }
  void copyFirst() { bodies_.set(1, bodies_.get(0)); }
  void clear() { bodies_.clear(); }
  const BodyDeviceVector &bodies() const { return bodies_; }

private:
  BodyDeviceVector bodies_, spare_;
  thrust::device_vector<int> marks_;
};

int main() {
  std::vector<Body> more(20);
  for (int i = 0; i < 20; ++i)
    more[i].v = i;
  Simulation simulation(10);
  simulation.step();
  simulation.add(more);
  simulation.step();
  simulation.exchange();
  simulation.copyFirst();
  simulation.step();
  thrust::host_vector<Body> h = simulation.bodies();
  std::vector<Body> v(simulation.bodies().size());
  const Body third = simulation.at(3);
  std::printf("%d %g %g %d\n", int(h.size()), h[12].x, third.x, int(simulation.empty()));
  simulation.clear();
  simulation.add(v);
  simulation.bodies().copyTo(h);
  std::printf("%d %g\n", int(h.size()), h[2].x);
}
