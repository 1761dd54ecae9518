// Macros that stand for the pointer of a Thrust vector.
// clang-format off
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

#include <cstdio>
#include <iostream>
#include <vector>

using thrust::device_vector;

#define pointer(x) (thrust::raw_pointer_cast(& ((x) [0])))
#define RAW(x) thrust::raw_pointer_cast(x.data())
#define GET(v) v.data().get()
#define FIRST(vector) pointer(vector)
#define CHECK(call) do { if ((call) != cudaSuccess) std::printf("%s failed\n", #call); } while (0)

struct Edge {
  int from, to;
  float weight;
  Edge() : from(0), to(0), weight(1) {}
  Edge(int from, int to) : from(from), to(to), weight(1) {}
};
#include "edge_layout.h"

/// Records in device memory. The host constructs, copies and reads them, as it does those of a
/// thrust::device_vector<Edge>.
class EdgeDeviceVector {
public:
  EdgeDeviceVector() = default;
  explicit EdgeDeviceVector(std::size_t size) : EdgeDeviceVector() {
    makeRoom(size);
    fill(Edge());
  }
  EdgeDeviceVector(const EdgeDeviceVector &other) : EdgeDeviceVector() {
    *this = other;
  }
  EdgeDeviceVector(EdgeDeviceVector &&other) noexcept { swap(other); }
  ~EdgeDeviceVector() { edgeFree(elements_); }

  EdgeDeviceVector &operator=(const EdgeDeviceVector &other) {
    if (this != &other) {
      makeRoom(other.size_);
      check(edgeMemcpy(elements_, other.elements_, size_ * sizeof(Edge),
                       cudaMemcpyDeviceToDevice));
    }
    return *this;
  }
  EdgeDeviceVector &operator=(EdgeDeviceVector &&other) noexcept {
    EdgeDeviceVector taken(std::move(other));
    swap(taken);
    return *this;
  }

  operator thrust::host_vector<Edge>() const {
    thrust::host_vector<Edge> host(size_);
    copyTo(host.data());
    return host;
  }
  void copyTo(Edge *host) const {
    check(edgeMemcpy(host, elements_, size_ * sizeof(Edge), cudaMemcpyDeviceToHost));
  }

  EdgeView data() { return elements_; }
  ConstEdgeView data() const { return elements_; }
  void set(std::size_t i, const Edge &element) {
    check(edgeMemcpy(elements_ + i, &element, sizeof(Edge), cudaMemcpyHostToDevice));
  }

  std::size_t size() const { return size_; }
  void swap(EdgeDeviceVector &other) noexcept {
    std::swap(elements_, other.elements_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

private:
  static void check(cudaError_t status) {
    if (status != cudaSuccess)
      throw std::runtime_error(cudaGetErrorString(status));
  }
  void fill(const Edge &value) {
    const std::vector<Edge> values(size_, value);
    check(edgeMemcpy(elements_, values.data(), values.size() * sizeof(Edge),
                     cudaMemcpyHostToDevice));
  }
  /// Keeps no elements.
  void makeRoom(std::size_t size) {
    if (size > capacity_) {
      EdgeDeviceVector larger;
      larger.allocate(size > 2 * capacity_ ? size : 2 * capacity_);
      swap(larger);
    }
    size_ = size;
  }
  void allocate(std::size_t capacity) {
    if (edgeMalloc(&elements_, capacity * sizeof(Edge)) != cudaSuccess)
      throw std::bad_alloc();
    capacity_ = capacity;
  }

  EdgeView elements_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0; ///< elements that the memory has room for
};

struct Graph {
  int vertices;
  EdgeDeviceVector edges;
};

inline std::ostream &operator<<(std::ostream &stream, Edge &edge) {
  return stream << edge.from << "-" << edge.to << ": " << edge.weight;
}

template <typename T>
inline std::ostream &operator<<(std::ostream &stream, device_vector<T> &vector) {
  thrust::host_vector<T> local = vector;
  for (auto i = local.begin(); i != local.end(); ++i)
    stream << *i << "; ";
  return stream << "\n";
}

inline std::ostream &operator<<(std::ostream &stream, EdgeDeviceVector &vector) {
  thrust::host_vector<Edge> local = vector;
  for (auto i = local.begin(); i != local.end(); ++i)
    stream << *i << "; ";
  return stream << "\n";
}

inline std::ostream &operator<<(std::ostream &stream, Graph &graph) { return stream << graph.vertices << ": " << graph.edges; }

__global__ void weigh(EdgeView edges, const int *degrees, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    edges.weight(i) = degrees[edges.from(i)] + 0.5f * edges.to(i);
}

__global__ void heavy(ConstEdgeView edges, EdgeView kept, int *marks, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    marks[i] = edges.weight(i) > 2;
    kept.store(i, edges.load(i));
  }
}

void mark(const Graph &graph, EdgeDeviceVector *kept, device_vector<int> &marks) {
  const int n = graph.edges.size();
  heavy<<<1, 64>>>(graph.edges.data(), (*kept).data(), pointer(marks), n);
}

#ifdef ON_THE_HOST
void mark(const thrust::host_vector<int> &degrees, const device_vector<int> &all) {}
#endif

int main() {
  const int n = 40;
  EdgeDeviceVector start(n), kept(n);
  for (int i = 0; i < n; ++i)
    start.set(i, Edge(i % 7, i % 5));
  Graph graph{7, start};
  device_vector<int> degrees(7, 2), marks(n);
  weigh<<<1, 64>>>(graph.edges.data(), RAW(degrees), n);
  mark(graph, &kept, marks);
  weigh<<<1, 64>>>(kept.data() + 1, GET(degrees), n - 1);
  weigh<<<1, 64>>>(kept.data(), FIRST(degrees), n / 2);
  std::vector<Edge> host(n);
  CHECK(edgeMemcpy(host.data(), kept.data(), n * sizeof(Edge), cudaMemcpyDeviceToHost));
  std::cout << graph << host[9] << " " << marks[9] << "\n";
}
