// Iterators of Thrust's vectors and device pointers in algorithms.
// clang-format off
#include <thrust/execution_policy.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/reverse.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>

#include <cstdio>

struct Point {
  float x, y;
  int cluster;
};
#include "point_layout.h"
struct Edge {
  int from, to;
  double weight;
};
#include "edge_layout.h"

struct ByCluster {
  __host__ __device__ bool operator()(const Point &a, const Point &b) const { return a.cluster < b.cluster; }
};
struct ClusterOf {
  __host__ __device__ int operator()(const Point &p) const { return p.cluster; }
};
struct Sum {
  __host__ __device__ Point operator()(const Point &a, const Point &b) const { return {a.x + b.x, a.y + b.y, a.cluster}; }
};
struct Shift {
  float by;
  __host__ __device__ void operator()(PointView p) const { p.x() += by; }
};
struct Loop {
  __host__ __device__ bool operator()(const Edge &e) const { return e.from == e.to; }
};

__global__ void assign(PointView points, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) points.cluster(i) = int(points.x(i)) % 7;
}
__global__ void connect(EdgeView edges, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) edges.store(i, {i % 5, i % 3, 1.0 / (i + 1)});
}

/// Records in device memory. The host constructs, copies and reads them, as it does those of a
/// thrust::device_vector<Point>.
class PointDeviceVector {
public:
  PointDeviceVector() = default;
  explicit PointDeviceVector(std::size_t size) : PointDeviceVector() {
    makeRoom(size);
    check(pointMemset(elements_, 0, size_ * sizeof(Point)));
  }
  PointDeviceVector(const thrust::host_vector<Point> &host) : PointDeviceVector() {
    *this = host;
  }
  PointDeviceVector(const PointDeviceVector &) = delete;
  PointDeviceVector(PointDeviceVector &&other) noexcept { swap(other); }
  ~PointDeviceVector() { pointFree(elements_); }

  PointDeviceVector &operator=(const PointDeviceVector &) = delete;
  PointDeviceVector &operator=(PointDeviceVector &&other) noexcept {
    PointDeviceVector taken(std::move(other));
    swap(taken);
    return *this;
  }
  PointDeviceVector &operator=(const thrust::host_vector<Point> &host) {
    assign(host.data(), host.data() + host.size());
    return *this;
  }
  void assign(const Point *begin, const Point *end) {
    makeRoom(static_cast<std::size_t>(end - begin));
    check(pointMemcpy(elements_, begin, size_ * sizeof(Point), cudaMemcpyHostToDevice));
  }

  static void copyToHost(ConstPointView begin, ConstPointView end, Point *host) {
    check(pointMemcpy(host, begin, (end - begin) * sizeof(Point), cudaMemcpyDeviceToHost));
  }
  static thrust::host_vector<Point> hostVector(ConstPointView begin, ConstPointView end) {
    thrust::host_vector<Point> host(end - begin);
    check(pointMemcpy(host.data(), begin, host.size() * sizeof(Point), cudaMemcpyDeviceToHost));
    return host;
  }

  PointView data() { return elements_; }
  PointView begin() { return elements_; }
  PointView end() { return elements_ + size_; }

  std::size_t size() const { return size_; }
  void swap(PointDeviceVector &other) noexcept {
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
      PointDeviceVector larger;
      larger.allocate(size > 2 * capacity_ ? size : 2 * capacity_);
      swap(larger);
    }
    size_ = size;
  }
  void allocate(std::size_t capacity) {
    if (pointMalloc(&elements_, capacity * sizeof(Point)) != cudaSuccess)
      throw std::bad_alloc();
    capacity_ = capacity;
  }

  PointView elements_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0; ///< elements that the memory has room for
};

int main() {
  const int n = 500;
  thrust::host_vector<Point> h(n);
  for (int i = 0; i < n; ++i) h[i] = {float(i), 1.0f / (i + 1), 0};
  PointDeviceVector points = h;
  assign<<<(n + 127) / 128, 128>>>(points.data(), n);
  PointView kept = points.data();
  assign<<<1, 32>>>(kept, 32);
  thrust::for_each(thrust::device, points.begin(), points.end(), Shift{0.25f});
  thrust::sort(thrust::device, points.begin(), points.end(), ByCluster());
  auto keys = thrust::make_transform_iterator(points.begin(), ClusterOf());
  thrust::device_vector<int> clusters(n);
  PointDeviceVector sums(n);
  auto end = thrust::reduce_by_key(thrust::device, keys, keys + n, points.begin(), clusters.begin(), sums.begin(), thrust::equal_to<int>(), Sum());
  const int m = int(end.second - sums.begin());
  thrust::host_vector<Point> some(PointDeviceVector::hostVector(sums.begin(), sums.begin() + m));
  PointDeviceVector::copyToHost(points.begin(), points.begin() + 10, h.data());

  EdgeView edges = nullptr;
  edgeMalloc(&edges, n * sizeof(Edge));
  connect<<<(n + 127) / 128, 128>>>(edges, n);
  auto first = edges;
  const long loops = thrust::count_if(thrust::device, first, first + n, Loop());
  EdgeView begin(edges);
  const int left = int(thrust::remove_if(thrust::device, begin, begin + n, Loop()) - begin);
  thrust::reverse(thrust::device, edges, (edges + left));
  Edge last;
  edgeMemcpy(&last, edges + (left - 1), sizeof(Edge), cudaMemcpyDeviceToHost);
  std::printf("%d %g %g %ld %d %g\n", m, some[m - 1].x, h[9].x, loops, left, last.weight);
  edgeFree(edges);
}
