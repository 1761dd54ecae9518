// Two records of one name, in two namespaces.
#include <cstdio>
#include <cuda_runtime.h>

namespace coarse {
struct Point {
  float x, y;
};

__global__ void move(Point *a, int n) {
  const int i = threadIdx.x;
  if (i < n)
    a[i].x += a[i].y;
}
} // namespace coarse

namespace fine {
struct Point {
  double x, y;
};

__global__ void move(Point *a, int n) {
  const int i = threadIdx.x;
  if (i < n)
    a[i].x += 3 * a[i].y;
}
} // namespace fine

int main() {
  const int n = 32;
  coarse::Point rough[n];
  fine::Point exact[n];
  for (int i = 0; i < n; ++i) {
    rough[i] = {1.0f * i, 2.0f};
    exact[i] = {1.0 * i, 2.0};
  }
  coarse::Point *p;
  fine::Point *q;
  cudaMalloc(&p, sizeof(rough));
  cudaMalloc(&q, sizeof(exact));
  cudaMemcpy(p, rough, n * sizeof(coarse::Point), cudaMemcpyHostToDevice);
  cudaMemcpy(q, exact, n * sizeof(fine::Point), cudaMemcpyHostToDevice);
  coarse::move<<<1, n>>>(p, n);
  fine::move<<<1, n>>>(q, n);
  cudaMemcpy(rough, p, n * sizeof(coarse::Point), cudaMemcpyDeviceToHost);
  cudaMemcpy(exact, q, n * sizeof(fine::Point), cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", rough[5].x, exact[5].x);
  cudaFree(p);
  cudaFree(q);
}
