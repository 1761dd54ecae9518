// Iterators of Thrust's vectors and device pointers in algorithms.
// clang-format off
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
struct Edge {
  int from, to;
  double weight;
};

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
  __host__ __device__ void operator()(Point &p) const { p.x += by; }
};
struct Loop {
  __host__ __device__ bool operator()(const Edge &e) const { return e.from == e.to; }
};

__global__ void assign(Point *points, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) points[i].cluster = int(points[i].x) % 7;
}
__global__ void connect(Edge *edges, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) edges[i] = {i % 5, i % 3, 1.0 / (i + 1)};
}

int main() {
  const int n = 500;
  thrust::host_vector<Point> h(n);
  for (int i = 0; i < n; ++i) h[i] = {float(i), 1.0f / (i + 1), 0};
  thrust::device_vector<Point> points = h;
  assign<<<(n + 127) / 128, 128>>>(thrust::raw_pointer_cast(points.data()), n);
  thrust::device_ptr<Point> kept = points.data();
  assign<<<1, 32>>>(kept.get(), 32);
  thrust::for_each(points.begin(), points.end(), Shift{0.25f});
  thrust::sort(points.begin(), points.end(), ByCluster());
  auto keys = thrust::make_transform_iterator(points.begin(), ClusterOf());
  thrust::device_vector<int> clusters(n);
  thrust::device_vector<Point> sums(n);
  auto end = thrust::reduce_by_key(keys, keys + n, points.begin(), clusters.begin(), sums.begin(), thrust::equal_to<int>(), Sum());
  const int m = int(end.second - sums.begin());
  thrust::host_vector<Point> some(sums.begin(), sums.begin() + m);
  thrust::copy(points.begin(), points.begin() + 10, h.begin());

  Edge *edges = nullptr;
  cudaMalloc(&edges, n * sizeof(Edge));
  connect<<<(n + 127) / 128, 128>>>(edges, n);
  auto first = thrust::device_pointer_cast(edges);
  const long loops = thrust::count_if(first, first + n, Loop());
  thrust::device_ptr<Edge> begin(edges);
  const int left = int(thrust::remove_if(begin, begin + n, Loop()) - begin);
  thrust::reverse(thrust::device_ptr<Edge>(edges), thrust::device_ptr<Edge>(edges + left));
  Edge last;
  cudaMemcpy(&last, edges + (left - 1), sizeof(Edge), cudaMemcpyDeviceToHost);
  std::printf("%d %g %g %ld %d %g\n", m, some[m - 1].x, h[9].x, loops, left, last.weight);
  cudaFree(edges);
}
