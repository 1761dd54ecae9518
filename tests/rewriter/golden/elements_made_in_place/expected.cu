// Elements that `new` makes in their place, and methods that check what they change.
// clang-format off
#include <cassert>
#include <cstdio>
#include <new>

class Light {
public:
  __host__ __device__ Light() : cells_(1), phase_(2), timer_(0) {}
  __host__ __device__ Light(int cells, int phase) : cells_(cells), phase_(phase) {
    timer_ = 0;
    for (int k = 0; k < 2; ++k)
      timer_ += k;
  }
  __device__ void step() {
    assert(timer_ >= 0);
    if (++timer_ >= phase_)
      timer_ = 0;
  }
  __host__ __device__ int timer() const { return timer_; }
  __host__ __device__ int cells() const { return cells_; }

private:
  int cells_, phase_;
  int timer_;
  int current_ = 0;
};
#include "light_layout.h"

struct Point {
  float x, y;
  int mark;
};
#include "point_layout.h"

__device__ LightView lights;

__global__ void make(int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    lights.store(i, Light(i % 4 + 1, i % 7));
}

__global__ void fill(PointView points, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  points.store(i, Point{x[i], 2.0f, i});
  PointView own = points + i;
  if (i % 3 == 0)
    own.store(0, Point());
  if (i % 7 == 0)
    lights.store(i, Light());
  if (i % 5 == 0)
    points.store(i, Point(points.load((i + 1) % n)));
}

__global__ void step(int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    Light element = lights.load(i);
    element.step();
    const auto members = lights.membersOf(element);
    lights.timer_(i) = members.timer_;
  }
}

int main() {
  const int n = 64;
  LightView made;
  lightMalloc(&made, n * sizeof(Light));
  cudaMemcpyToSymbol(lights, &made, sizeof(LightView));
  make<<<1, n>>>(n);
  for (int k = 0; k < 5; ++k)
    step<<<1, n>>>(n);
  Light *result = (Light *)malloc(n * sizeof(Light));
  lightMemcpy(result, made, n * sizeof(Light), cudaMemcpyDeviceToHost);

  PointView points;
  float *x;
  cudaMallocManaged(&x, n * sizeof(float));
  for (int i = 0; i < n; ++i)
    x[i] = i * 0.5f;
  pointMalloc(&points, n * sizeof(Point));
  fill<<<1, n>>>(points, x, n);
  Point *back = (Point *)malloc(n * sizeof(Point));
  pointMemcpy(back, points, n * sizeof(Point), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += result[i].timer() * 3 + result[i].cells() + back[i].x + back[i].y * back[i].mark;
  printf("%g\n", sum);
  lightFree(made);
  pointFree(points);
  cudaFree(x);
  free(result);
  free(back);
  return 0;
}
