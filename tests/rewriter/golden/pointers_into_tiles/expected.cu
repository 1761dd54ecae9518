// Everything a pointer can do, on arrays that lie in tiles.
#include <cstdio>
#include <utility>
#include <vector>

struct Point {
  float x, y;
  long long id;
  unsigned char flags[3];
};
#include "point_layout.h"

struct Range {
  ConstPointView begin;
  ConstPointView end;
};

__global__ void walk(PointView points, int count, long long *differences) {
  int i = threadIdx.x;
  PointView last = points + count;
  PointView here = last - count + i;
  PointView other = here;
  other += count - 1 - 2 * i;
  if (here < other && other < last && here <= other && !(here > other) && here != other) {
    differences[i] = other - here;
    long long id = here.id();
    here.id() = other.id();
    other.id() = id;
    float kept = here.x();
    here.x() = other.x(0);
    other.x() = kept;
  } else {
    differences[i] = here - other;
  }
  if (here == points + i && here >= points)
    here.flags()[i % 3] ^= 1;
  PointView back = last;
  --back;
  back -= count - 1 - i;
  differences[i] += back.flags(0)[1] + back.flags(-i)[2] + (back++).flags()[0];
  differences[i] += back == last ? 1000 : 2000;
}

__global__ void sum(Range range, float *total) {
  float all = 0;
  for (ConstPointView p = range.begin; p != range.end; ++p)
    all += p.x() * p.y() + p.id();
  for (ConstPointView p = range.end; p-- > range.begin;)
    all -= p.y();
  *total = all;
}

void show(const char *what, const std::vector<Point> &points) {
  double all = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    all += (i + 1) * (points[i].x - 2 * points[i].y + points[i].id + points[i].flags[0] +
                      3 * points[i].flags[2]);
  std::printf("%s %.9g\n", what, all);
}

int main() {
  const int n = 61;
  std::vector<Point> host(n), back(n);
  for (int i = 0; i < n; ++i)
    host[i] = Point{i * 0.5f, 3.0f - i, i * 11ll, {(unsigned char)i, 7, (unsigned char)(n - i)}};
  PointView a = nullptr, b = nullptr;
  pointMalloc(&a, n * sizeof(Point));
  pointMalloc(&b, n * sizeof(Point));
  pointMemset(a, 0, n * sizeof(Point));
  pointMemset(b, 0x3c, n * sizeof(Point));
  // Ranges that start and end inside tiles, in all directions.
  pointMemcpy(a + 3, host.data() + 2, 37 * sizeof(Point), cudaMemcpyHostToDevice);
  pointMemcpy(b + 11, a + 2, 23 * sizeof(Point), cudaMemcpyDeviceToDevice);
  pointMemcpy(back.data(), b, n * sizeof(Point), cudaMemcpyDeviceToHost);
  show("copied", back);
  pointMemset(b + 13, 0, 6 * sizeof(Point));
  pointMemset(b + 50, 1, 1 * sizeof(Point));
  pointMemcpy(back.data() + 1, b + 9, 50 * sizeof(Point), cudaMemcpyDeviceToHost);
  show("set", back);
  std::swap(a, b);
  pointMemcpy(a, host.data(), n * sizeof(Point), cudaMemcpyHostToDevice);
  long long *differences;
  float *total;
  cudaMalloc(&differences, n * sizeof(long long));
  cudaMalloc(&total, sizeof(float));
  cudaMemset(total, 0, sizeof(float));
  walk<<<1, n / 2>>>(a, n, differences);
  sum<<<1, 1>>>(Range{a + 5, a + 29}, total);
  std::vector<long long> found(n / 2);
  float all = 0;
  cudaMemcpy(found.data(), differences, found.size() * sizeof(long long), cudaMemcpyDeviceToHost);
  cudaMemcpy(&all, total, sizeof(float), cudaMemcpyDeviceToHost);
  pointMemcpy(back.data(), a, n * sizeof(Point), cudaMemcpyDeviceToHost);
  show("walked", back);
  long long weighed = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    weighed += found[i] * (long long)(i + 1);
  std::printf("%lld %.9g\n", weighed, all);
  pointFree(a);
  pointFree(b);
  cudaFree(differences);
  cudaFree(total);
}
