// What frees takes no pointers to const, so programs that keep such pointers cast.
#include <cuda_runtime.h>

struct Edge {
  int to;
  float weight;
};
#include "edge_layout.h"
struct Point {
  float x, y;
};
#include "point_layout.h"
struct Graph {
  ConstEdgeView edges;
  int count;
};

__global__ void sum(Graph graph, ConstPointView points, float *out) {
  const int i = threadIdx.x;
  if (i < graph.count)
    out[i] = graph.edges.weight(i) * points.x(graph.edges.to(i));
}

class Points {
public:
  explicit Points(const Point *host) {
    PointView points = nullptr;
    pointMalloc(&points, 32 * sizeof(Point));
    pointMemcpy(points, host, 32 * sizeof(Point), cudaMemcpyHostToDevice);
    points_ = points;
  }
  ~Points() { pointFree(points_); }
  ConstPointView get() const { return points_; }

private:
  ConstPointView points_;
};

int main() {
  Edge h[32] = {};
  Point p[32] = {};
  float r[32];
  EdgeView e, f, k;
  float *o;
  edgeMalloc(&e, sizeof h);
  edgeMalloc(&f, sizeof h);
  edgeMalloc(&k, sizeof h);
  ConstEdgeView second = f, third = k;
  cudaMalloc(&o, sizeof r);
  edgeMemcpy(e, h, sizeof h, cudaMemcpyHostToDevice);
  Graph g = {e, 32};
  Points points(p);
  edgeMemcpy(f, e, sizeof h, cudaMemcpyDeviceToDevice);
  sum<<<1, 32>>>(g, points.get(), o);
  cudaMemcpy(r, o, sizeof r, cudaMemcpyDeviceToHost);
  edgeFree(g.edges);
  edgeFree(second);
  edgeFree(third);
  cudaFree(o);
}
