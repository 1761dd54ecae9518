// Containers and pairs of the standard library keep copies.
#include <cstdio>
#include <deque>
#include <utility>
#include <vector>

struct Point {
  double x, y;
};

struct Edge {
  Point from, to;
  int marks;
};
#include "edge_layout.h"

__global__ void mark(EdgeView edges, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && edges.from(i).x < edges.to(i).x)
    edges.marks(i) += i;
}

int main() {
  const int n = 20;
  EdgeView edges;
  edgeMallocManaged(&edges, n * sizeof(Edge));
  for (int i = 0; i < n; ++i)
    edges.store(i, Edge{{1.0 * i, 2}, {10, 3}, 0});
  mark<<<1, 32>>>(edges, n);
  cudaDeviceSynchronize();
  std::vector<Edge> marked;
  std::deque<Edge> others;
  std::vector<std::pair<Point, Point>> ends;
  for (int i = 0; i < n; ++i) {
    if (edges.marks(i) != 0) {
      marked.push_back(edges.load(i));
      ends.push_back({edges.from(i), edges.to(i)});
    } else {
      others.emplace_back(edges.load(i));
    }
  }
  const std::pair<Edge, int> last(edges.load(n - 1), 7);
  double sum = last.first.from.x;
  for (const auto &end : ends)
    sum += end.first.x + end.second.y;
  std::printf("%zu %zu %g\n", marked.size(), others.size(), sum);
  edgeFree(edges);
}
