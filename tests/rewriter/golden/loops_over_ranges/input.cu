// Loops over classes of the program's with begin() and end().
// clang-format off
#include <cstdio>
#include <vector>
struct Edge { int to; float length; double w; };
struct EdgeRange {
  const Edge *b, *e;
  __host__ __device__ const Edge *begin() const { return b; }
  __host__ __device__ const Edge *end() const { return e; }
};
struct Cells {
  Edge *first; int n;
  __device__ Edge *begin() { return first; }
  __device__ Edge *end() { return first + n; }
};
struct Graph {
  Edge *edges; int per;
  __host__ __device__ EdgeRange of(int v) const { return {edges + v * per, edges + (v + 1) * per}; }
};
__global__ void sum(Graph g, float *out, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  float s = 0;
  for (const Edge &e : g.of(v)) s += e.length + e.to;
  for (const auto &e : g.of(v)) s += e.w;
  Cells cells{g.edges + v * g.per, g.per};
  for (Edge &e : cells) e.length *= 0.5f;
  for (auto &e : cells) e.to += 1;
  out[v] = s;
}
int main() {
  int n = 200, per = 4;
  std::vector<Edge> h(n * per);
  for (int i = 0; i < n * per; ++i) h[i] = {i % 17, 0.5f * i, 1.0};
  Edge *d; float *o;
  cudaMalloc(&d, n * per * sizeof(Edge)); cudaMalloc(&o, n * 4);
  cudaMemcpy(d, h.data(), n * per * sizeof(Edge), cudaMemcpyHostToDevice);
  for (int t = 0; t < 2; ++t) sum<<<4, 64>>>(Graph{d, per}, o, n);
  cudaMemcpy(h.data(), d, n * per * sizeof(Edge), cudaMemcpyDeviceToHost);
  std::vector<float> r(n);
  cudaMemcpy(r.data(), o, n * 4, cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", r[7], h[9].length + h[9].to);
}
