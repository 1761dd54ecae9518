// Everything a pointer can do, on arrays that lie in tiles.
#include <cstdio>
#include <utility>
#include <vector>

struct Point {
  float x, y;
  long long id;
  unsigned char flags[3];
};

struct Range {
  const Point *begin;
  const Point *end;
};

__global__ void walk(Point *points, int count, long long *differences) {
  int i = threadIdx.x;
  Point *last = points + count;
  Point *here = last - count + i;
  Point *other = here;
  other += count - 1 - 2 * i;
  if (here < other && other < last && here <= other && !(here > other) && here != other) {
    differences[i] = other - here;
    long long id = here->id;
    here->id = other->id;
    other->id = id;
    float kept = here->x;
    here->x = other[0].x;
    other->x = kept;
  } else {
    differences[i] = here - other;
  }
  if (here == points + i && here >= points)
    here->flags[i % 3] ^= 1;
  Point *back = last;
  --back;
  back -= count - 1 - i;
  differences[i] += back[0].flags[1] + back[-i].flags[2] + (back++)->flags[0];
  differences[i] += back == last ? 1000 : 2000;
}

__global__ void sum(Range range, float *total) {
  float all = 0;
  for (const Point *p = range.begin; p != range.end; ++p)
    all += p->x * p->y + p->id;
  for (const Point *p = range.end; p-- > range.begin;)
    all -= p->y;
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
  Point *a = nullptr, *b = nullptr;
  cudaMalloc((void **)&a, n * sizeof(Point));
  cudaMalloc((void **)&b, n * sizeof(Point));
  cudaMemset(a, 0, n * sizeof(Point));
  cudaMemset(b, 0x3c, n * sizeof(Point));
  // Ranges that start and end inside tiles, in all directions.
  cudaMemcpy(a + 3, host.data() + 2, 37 * sizeof(Point), cudaMemcpyHostToDevice);
  cudaMemcpy(b + 11, a + 2, 23 * sizeof(Point), cudaMemcpyDeviceToDevice);
  cudaMemcpy(back.data(), b, n * sizeof(Point), cudaMemcpyDeviceToHost);
  show("copied", back);
  cudaMemset(b + 13, 0, 6 * sizeof(Point));
  cudaMemset(b + 50, 1, 1 * sizeof(Point));
  cudaMemcpy(back.data() + 1, b + 9, 50 * sizeof(Point), cudaMemcpyDeviceToHost);
  show("set", back);
  std::swap(a, b);
  cudaMemcpy(a, host.data(), n * sizeof(Point), cudaMemcpyHostToDevice);
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
  cudaMemcpy(back.data(), a, n * sizeof(Point), cudaMemcpyDeviceToHost);
  show("walked", back);
  long long weighed = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    weighed += found[i] * (long long)(i + 1);
  std::printf("%lld %.9g\n", weighed, all);
  cudaFree(a);
  cudaFree(b);
  cudaFree(differences);
  cudaFree(total);
}
