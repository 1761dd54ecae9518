// Loops over classes of the program's with begin() and end().
// clang-format off
#include <cstdio>
#include <vector>
struct Edge { int to; float length; double w; };
#include "edge_layout.h"
struct EdgeRange {
  ConstEdgeView b, e;
  __host__ __device__ ConstEdgeView begin() const { return b; }
  __host__ __device__ ConstEdgeView end() const { return e; }
};
struct Cells {
  EdgeView first; int n;
  __device__ EdgeView begin() { return first; }
  __device__ EdgeView end() { return first + n; }
};
struct Graph {
  EdgeView edges; int per;
  __host__ __device__ EdgeRange of(int v) const { return {edges + v * per, edges + (v + 1) * per}; }
};
__global__ void sum(Graph g, float *out, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  float s = 0;
  for (ConstEdgeView e : g.of(v)) s += e.length() + e.to();
  for (auto e : g.of(v)) s += e.w();
  Cells cells{g.edges + v * g.per, g.per};
  for (EdgeView e : cells) e.length() *= 0.5f;
  for (auto e : cells) e.to() += 1;
  out[v] = s;
}
int main() {
  int n = 200, per = 4;
  std::vector<Edge> h(n * per);
  for (int i = 0; i < n * per; ++i) h[i] = {i % 17, 0.5f * i, 1.0};
  EdgeView d; float *o;
  edgeMalloc(&d, n * per * sizeof(Edge)); cudaMalloc(&o, n * 4);
  edgeMemcpy(d, h.data(), n * per * sizeof(Edge), cudaMemcpyHostToDevice);
  for (int t = 0; t < 2; ++t) sum<<<4, 64>>>(Graph{d, per}, o, n);
  edgeMemcpy(h.data(), d, n * per * sizeof(Edge), cudaMemcpyDeviceToHost);
  std::vector<float> r(n);
  cudaMemcpy(r.data(), o, n * 4, cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", r[7], h[9].length + h[9].to);
}
