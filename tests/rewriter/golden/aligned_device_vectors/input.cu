// Alignment alone is said at the declaration: Thrust's vectors stay.
// clang-format off
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>

#include <cstdio>

struct Point {
  float x, y, z, w;
};

__global__ void scale(Point *points, int n) {
  const int i = threadIdx.x;
  if (i < n)
    points[i].x *= points[i].y + points[i].z;
}

__global__ void shift(Point *points, int n) {
  const int i = threadIdx.x;
  if (i < n)
    points[i].w += 1;
}

int main() {
  thrust::host_vector<Point> h(20);
  for (int i = 0; i < 20; ++i)
    h[i] = {float(i), float(i % 3), 1, 0};
  thrust::device_vector<Point> d = h;
  scale<<<1, 32>>>(thrust::raw_pointer_cast(d.data()), 20);
  shift<<<1, 32>>>(thrust::raw_pointer_cast(d.data()), 20);
  h = d;
  std::printf("%g\n", h[19].x);
}
