// SPDX-License-Identifier: Apache-2.0
// The nearest point of each query, and its label.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>
struct Point {
  double x, y;
  int label;
  int cluster;
  double weight;
};
__global__ void nearest(const Point *points, const Point *queries, int *labels, int n, int q) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= q)
    return;
  double px = queries[i].x, py = queries[i].y, best = 1e300;
  int label = -1;
  for (int j = 0; j < n; ++j) {
    double dx = points[j].x - px, dy = points[j].y - py, d = dx * dx + dy * dy;
    if (d < best) {
      best = d;
      label = points[j].label;
    }
  }
  labels[i] = label;
}
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1024;
  std::vector<Point> h(n);
  for (int i = 0; i < n; ++i)
    h[i] = Point{(i * 7919L % 10007) / 10007.0, (i * 104729L % 10009) / 10009.0, i % 10, 0, 1};
  Point *a, *b;
  int *l;
  cudaMalloc(&a, n * sizeof(Point));
  cudaMalloc(&b, n * sizeof(Point));
  cudaMalloc(&l, n * sizeof(int));
  cudaMemcpy(a, h.data(), n * sizeof(Point), cudaMemcpyHostToDevice);
  for (int i = 0; i < n; ++i)
    h[i].x = 1 - h[i].x;
  cudaMemcpy(b, h.data(), n * sizeof(Point), cudaMemcpyHostToDevice);
  for (int s = 0; s < 5; ++s)
    nearest<<<(n + 255) / 256, 256>>>(a, b, l, n, n);
  std::vector<int> r(n);
  cudaMemcpy(r.data(), l, n * sizeof(int), cudaMemcpyDeviceToHost);
  long sum = 0;
  for (int x : r)
    sum += x;
  printf("%ld\n", sum);
}
