// Page-locked memory: of the host's, with which functions of both sides compute what kernels compute,
// and such that a kernel is given, too.
#include <cstdio>

struct Point {
  float x, y;
  int hits;
};
#include "point_layout.h"

__host__ __device__ void move(PointView points, int i, float by) {
  points.x(i) += by;
  points.hits(i) += points.x(i) > points.y(i);
}

void move_host(Point *points, int i, float by) {
  points[i].x += by;
  points[i].hits += points[i].x > points[i].y;
}

__global__ void moveAll(PointView points, int count, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    move(points, i, by);
}

void moveOnHost(Point *points, int count, float by) {
  for (int i = 0; i < count; ++i)
    move_host(points, i, by);
}

int main() {
  const int count = 100;
  PointView points;
  Point *moved;
  Point *expected;
  PointView mapped;
  cudaMallocHost(&moved, count * sizeof(Point));
  cudaHostAlloc((void **)&expected, count * sizeof(Point), cudaHostAllocDefault);
  pointHostAlloc(&mapped, count * sizeof(Point), cudaHostAllocMapped);
  pointMalloc(&points, count * sizeof(Point));
  for (int i = 0; i < count; ++i) {
    expected[i] = {i * 0.5f, 20.0f, 0};
    mapped.store(i, expected[i]);
  }
  pointMemcpy(points, expected, count * sizeof(Point), cudaMemcpyHostToDevice);
  moveAll<<<1, 128>>>(points, count, 3);
  moveAll<<<1, 128>>>(mapped, count, 1);
  pointMemcpyAsync(moved, points, count * sizeof(Point), cudaMemcpyDeviceToHost);
  cudaDeviceSynchronize();
  moveOnHost(expected, count, 3);
  move(mapped, 7, 2);
  int wrong = 0;
  for (int i = 0; i < count; ++i)
    wrong += moved[i].x != expected[i].x || mapped.x(i) < expected[i].x - 2;
  std::printf("%d wrong\n", wrong);
  pointFree(points);
  cudaFreeHost(moved);
  cudaFreeHost(expected);
  pointFreeHost(mapped);
}
