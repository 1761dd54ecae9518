// Elements that host code hands to functions which return a reference to something else.
#include <cstdio>
#include <iostream>

struct Point {
  float x, y;
  int group;
}; // 12 bytes

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

__global__ void move(Point *points, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    points[i].x += 0.5f * points[i].y;
}

int main() {
  const int count = 300;
  Point *points;
  cudaMallocManaged(&points, count * sizeof(Point));
  for (int i = 0; i < count; ++i) {
    points[i].x = i % 23 * 0.5f;
    points[i].y = i % 7;
    points[i].group = -i;
  }
  move<<<3, 128>>>(points, count);
  cudaDeviceSynchronize();
  Log log;
  for (int i = 0; i + 7 < count; i += 50)
    std::cout << points[i] << ", " << points[i + 7] << "\n";
  std::cout.flush();
  std::printf("%d\n", note(note(log, points[3]), points[4]).lines);
  cudaFree(points);
}
