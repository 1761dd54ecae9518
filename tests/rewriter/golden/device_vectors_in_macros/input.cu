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

struct Graph {
  int vertices;
  device_vector<Edge> edges;
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

inline std::ostream &operator<<(std::ostream &stream, Graph &graph) { return stream << graph.vertices << ": " << graph.edges; }

__global__ void weigh(Edge *edges, const int *degrees, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    edges[i].weight = degrees[edges[i].from] + 0.5f * edges[i].to;
}

__global__ void heavy(const Edge *edges, Edge *kept, int *marks, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    marks[i] = edges[i].weight > 2;
    kept[i] = edges[i];
  }
}

void mark(const Graph &graph, device_vector<Edge> *kept, device_vector<int> &marks) {
  const int n = graph.edges.size();
  heavy<<<1, 64>>>(pointer(graph.edges), pointer(*kept), pointer(marks), n);
}

#ifdef ON_THE_HOST
void mark(const thrust::host_vector<int> &degrees, const device_vector<int> &all) {}
#endif

int main() {
  const int n = 40;
  device_vector<Edge> start(n), kept(n);
  for (int i = 0; i < n; ++i)
    start[i] = Edge(i % 7, i % 5);
  Graph graph{7, start};
  device_vector<int> degrees(7, 2), marks(n);
  weigh<<<1, 64>>>(RAW(graph.edges), RAW(degrees), n);
  mark(graph, &kept, marks);
  weigh<<<1, 64>>>(GET(kept) + 1, GET(degrees), n - 1);
  weigh<<<1, 64>>>(FIRST(kept), FIRST(degrees), n / 2);
  std::vector<Edge> host(n);
  CHECK(cudaMemcpy(host.data(), RAW(kept), n * sizeof(Edge), cudaMemcpyDeviceToHost));
  std::cout << graph << host[9] << " " << marks[9] << "\n";
}
