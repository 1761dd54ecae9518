// Two records of one name, in two namespaces.
#include <cstdio>
#include <cuda_runtime.h>

namespace coarse {
struct Point {
  float x, y;
};
} // namespace coarse
#include "coarse_point_layout.h"
namespace coarse {

__global__ void move(PointView a, int n) {
  const int i = threadIdx.x;
  if (i < n)
    a.x(i) += a.y(i);
}
} // namespace coarse

namespace fine {
struct Point {
  double x, y;
};
} // namespace fine
#include "fine_point_layout.h"
namespace fine {

__global__ void move(PointView a, int n) {
  const int i = threadIdx.x;
  if (i < n)
    a.x(i) += 3 * a.y(i);
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
  coarse::PointView p;
  fine::PointView q;
  pointMalloc(&p, sizeof(rough));
  pointMalloc(&q, sizeof(exact));
  pointMemcpy(p, rough, n * sizeof(coarse::Point), cudaMemcpyHostToDevice);
  pointMemcpy(q, exact, n * sizeof(fine::Point), cudaMemcpyHostToDevice);
  coarse::move<<<1, n>>>(p, n);
  fine::move<<<1, n>>>(q, n);
  pointMemcpy(rough, p, n * sizeof(coarse::Point), cudaMemcpyDeviceToHost);
  pointMemcpy(exact, q, n * sizeof(fine::Point), cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", rough[5].x, exact[5].x);
  pointFree(p);
  pointFree(q);
}
