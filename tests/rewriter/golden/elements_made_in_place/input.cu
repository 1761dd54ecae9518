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

struct Point {
  float x, y;
  int mark;
};

__device__ Light *lights;

__global__ void make(int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    new (lights + i) Light(i % 4 + 1, i % 7);
}

__global__ void fill(Point *points, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  new (&points[i]) Point{x[i], 2.0f, i};
  Point *own = points + i;
  if (i % 3 == 0)
    new (own) Point();
  if (i % 7 == 0)
    new (lights + i) Light;
  if (i % 5 == 0)
    ::new ((void *)(points + i)) Point(points[(i + 1) % n]);
}

__global__ void step(int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    lights[i].step();
}

int main() {
  const int n = 64;
  Light *made;
  cudaMalloc(&made, n * sizeof(Light));
  cudaMemcpyToSymbol(lights, &made, sizeof(Light *));
  make<<<1, n>>>(n);
  for (int k = 0; k < 5; ++k)
    step<<<1, n>>>(n);
  Light *result = (Light *)malloc(n * sizeof(Light));
  cudaMemcpy(result, made, n * sizeof(Light), cudaMemcpyDeviceToHost);

  Point *points;
  float *x;
  cudaMallocManaged(&x, n * sizeof(float));
  for (int i = 0; i < n; ++i)
    x[i] = i * 0.5f;
  cudaMalloc(&points, n * sizeof(Point));
  fill<<<1, n>>>(points, x, n);
  Point *back = (Point *)malloc(n * sizeof(Point));
  cudaMemcpy(back, points, n * sizeof(Point), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += result[i].timer() * 3 + result[i].cells() + back[i].x + back[i].y * back[i].mark;
  printf("%g\n", sum);
  cudaFree(made);
  cudaFree(points);
  cudaFree(x);
  free(result);
  free(back);
  return 0;
}
