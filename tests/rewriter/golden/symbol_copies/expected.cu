// Variables in device memory that arrays are copied to and from.
#include <cstdio>

struct Point {
  float x, y;
  int group;
}; // 12 bytes
#include "point_layout.h"

constexpr int kCenters = 5;

__constant__ Point centers[kCenters];
__device__ Point kept[kCenters] = {{1, 1, 1}};

__global__ void assign(PointView points, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  int best = 0;
  float least = 1e30f;
  for (int c = 0; c < kCenters; ++c) {
    float x = centers[c].x - points.x(i), y = centers[c].y - points.y(i);
    if (x * x + y * y < least) {
      least = x * x + y * y;
      best = c;
    }
  }
  points.group(i) = best;
  if (i < kCenters)
    kept[i].x = 2 * points.x(i);
}

int main() {
  const int count = 300;
  PointView points, some;
  pointMallocManaged(&points, count * sizeof(Point));
  pointMalloc(&some, kCenters * sizeof(Point));
  for (int i = 0; i < count; ++i) {
    points.x(i) = i % 23 * 0.5f;
    points.y(i) = i % 7;
    points.group(i) = -1;
  }
  pointMemcpy(some, points + 11, kCenters * sizeof(Point), cudaMemcpyDeviceToDevice);
  pointMemcpyToSymbol(centers, some, kCenters * sizeof(Point), 0, cudaMemcpyDeviceToDevice);
  pointMemcpyToSymbolAsync(kept, some + 1, 2 * sizeof(Point), sizeof(Point), cudaMemcpyDefault, 0);
  assign<<<3, 128>>>(points, count);
  pointMemcpyFromSymbol(some, kept, kCenters * sizeof(Point), 0, cudaMemcpyDeviceToDevice);
  Point back[kCenters], all[kCenters];
  pointMemcpy(back, some, sizeof(back), cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(all, centers, sizeof(all));
  for (int c = 0; c < kCenters; ++c)
    std::printf("%d %g %g %d %g\n", points.group(c), back[c].x, back[c].y, back[c].group, all[c].y);
  pointFree(points);
  pointFree(some);
}
