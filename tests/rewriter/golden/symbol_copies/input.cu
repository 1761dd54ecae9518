// Variables in device memory that arrays are copied to and from.
#include <cstdio>

struct Point {
  float x, y;
  int group;
}; // 12 bytes

constexpr int kCenters = 5;

__constant__ Point centers[kCenters];
__device__ Point kept[kCenters] = {{1, 1, 1}};

__global__ void assign(Point *points, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  int best = 0;
  float least = 1e30f;
  for (int c = 0; c < kCenters; ++c) {
    float x = centers[c].x - points[i].x, y = centers[c].y - points[i].y;
    if (x * x + y * y < least) {
      least = x * x + y * y;
      best = c;
    }
  }
  points[i].group = best;
  if (i < kCenters)
    kept[i].x = 2 * points[i].x;
}

int main() {
  const int count = 300;
  Point *points, *some;
  cudaMallocManaged(&points, count * sizeof(Point));
  cudaMalloc(&some, kCenters * sizeof(Point));
  for (int i = 0; i < count; ++i) {
    points[i].x = i % 23 * 0.5f;
    points[i].y = i % 7;
    points[i].group = -1;
  }
  cudaMemcpy(some, points + 11, kCenters * sizeof(Point), cudaMemcpyDeviceToDevice);
  cudaMemcpyToSymbol(centers, some, kCenters * sizeof(Point), 0, cudaMemcpyDeviceToDevice);
  cudaMemcpyToSymbolAsync(kept, some + 1, 2 * sizeof(Point), sizeof(Point), cudaMemcpyDefault, 0);
  assign<<<3, 128>>>(points, count);
  cudaMemcpyFromSymbol(some, kept, kCenters * sizeof(Point), 0, cudaMemcpyDeviceToDevice);
  Point back[kCenters], all[kCenters];
  cudaMemcpy(back, some, sizeof(back), cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(all, centers, sizeof(all));
  for (int c = 0; c < kCenters; ++c)
    std::printf("%d %g %g %d %g\n", points[c].group, back[c].x, back[c].y, back[c].group, all[c].y);
  cudaFree(points);
  cudaFree(some);
}
