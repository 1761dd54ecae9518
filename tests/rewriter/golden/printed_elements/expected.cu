// Elements that host code hands to functions which return a reference to something else.
#include <cstdio>
#include <iostream>

struct Point {
  float x, y;
  int group;
}; // 12 bytes
#include "point_layout.h"

std::ostream &operator<<(std::ostream &out, const Point &point) {
  return out << point.x << ' ' << point.y << ' ' << point.group;
}

struct Log {
  int lines = 0;
};

Log &note(Log &log, const Point &point) {
  std::printf("%d: %g\n", ++log.lines, point.y);
  return log;
}

__global__ void move(PointView points, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    points.x(i) += 0.5f * points.y(i);
}

int main() {
  const int count = 300;
  PointView points;
  pointMallocManaged(&points, count * sizeof(Point));
  for (int i = 0; i < count; ++i) {
    points.x(i) = i % 23 * 0.5f;
    points.y(i) = i % 7;
    points.group(i) = -i;
  }
  move<<<3, 128>>>(points, count);
  cudaDeviceSynchronize();
  Log log;
  for (int i = 0; i + 7 < count; i += 50)
    std::cout << points.load(i) << ", " << points.load(i + 7) << "\n";
  std::cout.flush();
  std::printf("%d\n", note(note(log, points.load(3)), points.load(4)).lines);
  pointFree(points);
}
