// What frees takes no pointers to const, so programs that keep such pointers cast.
#include <cuda_runtime.h>

struct Edge {
  int to;
  float weight;
};
struct Point {
  float x, y;
};
struct Graph {
  const Edge *edges;
  int count;
};

__global__ void sum(Graph graph, const Point *points, float *out) {
  const int i = threadIdx.x;
  if (i < graph.count)
    out[i] = graph.edges[i].weight * points[graph.edges[i].to].x;
}

class Points {
public:
  explicit Points(const Point *host) {
    Point *points = nullptr;
    cudaMalloc(&points, 32 * sizeof(Point));
    cudaMemcpy(points, host, 32 * sizeof(Point), cudaMemcpyHostToDevice);
    points_ = points;
  }
  ~Points() { cudaFree(const_cast<Point *>(points_)); }
  const Point *get() const { return points_; }

private:
  const Point *points_;
};

int main() {
  Edge h[32] = {};
  Point p[32] = {};
  float r[32];
  Edge *e, *f, *k;
  float *o;
  cudaMalloc(&e, sizeof h);
  cudaMalloc(&f, sizeof h);
  cudaMalloc(&k, sizeof h);
  const Edge *second = f, *third = k;
  cudaMalloc(&o, sizeof r);
  cudaMemcpy(e, h, sizeof h, cudaMemcpyHostToDevice);
  Graph g = {e, 32};
  Points points(p);
  cudaMemcpy(f, e, sizeof h, cudaMemcpyDeviceToDevice);
  sum<<<1, 32>>>(g, points.get(), o);
  cudaMemcpy(r, o, sizeof r, cudaMemcpyDeviceToHost);
  cudaFree((void *)g.edges);
  cudaFree((Edge *)second);
  cudaFree((void *)const_cast<Edge *>(third));
  cudaFree(o);
}
