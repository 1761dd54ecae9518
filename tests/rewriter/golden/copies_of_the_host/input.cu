// Constructors and copy functions that are the host's alone: device code names members.
#include <cstdio>
#include <vector>

struct Point {
  float x, y, z;
};

struct Triangle {
  Point a, b, c;
  std::size_t module;

  Triangle() : a(), b(), c(), module(0) {}
  Triangle(const Triangle &other) : a(other.a), b(other.b), c(other.c) {
    this->module = other.module;
  }
  Triangle &operator=(const Triangle &other) {
    a = other.a;
    b = other.b;
    c = other.c;
    module = other.module;
    return *this;
  }
};

__device__ float area(const Point &a, const Point &b) { return a.x * b.y - a.y * b.x; }

__global__ void measure(const Triangle *triangles, float *areas, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    areas[i] = area(triangles[i].a, triangles[i].b) + triangles[i].c.z * triangles[i].module;
}

int main() {
  const int n = 300;
  std::vector<Triangle> host(n);
  for (int i = 0; i < n; ++i) {
    host[i].a = {1.0f * i, 2, 3};
    host[i].b = {2, 1.0f * i, 1};
    host[i].c = {0, 0, 1};
    host[i].module = i % 3;
  }
  Triangle *triangles = nullptr;
  float *areas = nullptr;
  cudaMalloc(&triangles, n * sizeof(Triangle));
  cudaMalloc(&areas, n * sizeof(float));
  cudaMemcpy(triangles, host.data(), n * sizeof(Triangle), cudaMemcpyHostToDevice);
  measure<<<(n + 127) / 128, 128>>>(triangles, areas, n);
  std::vector<float> found(n);
  cudaMemcpy(found.data(), areas, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(host.data(), triangles, n * sizeof(Triangle), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += found[i] + host[i].module;
  std::printf("%f\n", sum);
  cudaFree(triangles);
  cudaFree(areas);
}
