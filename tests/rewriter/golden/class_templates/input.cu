// Class templates over numbers and types: each instance has views of its own.
// clang-format off
#include <cstdio>
#include <vector>

template <class T> struct Vec {
  T x, y;
};

namespace sim {
template <typename Real> struct Particle {
  Vec<Real> at;
  Real speed = 0;
  int id = 0, kind = 0;
};

template <int D, typename T = float> struct Point {
  T c[D];
  bool isInside;
};

template <typename Real>
__global__ void advance(Particle<Real> *__restrict__ items, const Particle<Real> *others, int n, Real dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    items[i].at.x += others[i].speed * dt;
}
} // namespace sim

using Heavy = sim::Particle<double>;
template <typename T> using Alias = sim::Particle<T>;
using sim::Point;

template <int D> __device__ bool isInside(const Point<D> *points, int i) {
  float sum = 0;
  for (int k = 0; k < D; ++k)
    sum += points[i].c[k];
  return sum < D;
}

template <int D> __global__ void classify(Point<D> *points, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    points[i].isInside = isInside(points, i);
}

__global__ void brake(Heavy *items, const Alias<float> *lights, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Heavy *const item = &items[i];
  const sim::Particle<float> &light = lights[i];
  item->speed = 0.5 * light.speed;
}

template <class T> T *upload(const std::vector<T> &values) {
  T *items;
  cudaMalloc(&items, values.size() * sizeof(T));
  cudaMemcpy(items, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return items;
}

template <typename Real> double run(int n) {
  std::vector<sim::Particle<Real>> host(n);
  for (int i = 0; i < n; ++i) {
    host[i].at.x = i;
    host[i].speed = i % 7;
  }
  sim::Particle<Real> *items = upload(host), *others = upload(host);
  sim::advance<Real><<<(n + 63) / 64, 64>>>(items, others, n, Real(0.5));
  sim::advance<<<(n + 63) / 64, 64>>>(items, others, n, Real(0.25));
  cudaMemcpy(host.data(), items, n * sizeof(sim::Particle<Real>), cudaMemcpyDeviceToHost);
  cudaFree(items);
  cudaFree(others);
  double sum = 0;
  for (const auto &item : host)
    sum += item.at.x;
  return sum;
}

int main() {
  const int n = 300;
  double sum = run<float>(n) + run<double>(n);
  std::vector<Point<3>> host(n);
  for (int i = 0; i < n; ++i)
    for (float &c : host[i].c)
      c = 0.01f * i;
  Point<3> *points = upload(host);
  classify<3><<<(n + 63) / 64, 64>>>(points, n);
  cudaMemcpy(host.data(), points, n * sizeof(Point<3>), cudaMemcpyDeviceToHost);
  for (const Point<3> &point : host)
    sum += point.isInside;
  Heavy *heavy, *unused;
  Alias<float> *light;
  cudaMalloc(&heavy, n * sizeof(Heavy));
  cudaMalloc(&unused, n * sizeof(Heavy));
  cudaMalloc(&light, n * sizeof(sim::Particle<float>));
  cudaMemset(heavy, 0, n * sizeof(Heavy));
  cudaMemset(light, 1, n * sizeof(Alias<float>));
  brake<<<(n + 63) / 64, 64>>>(heavy, light, n);
  std::vector<Heavy> braked(n);
  cudaMemcpy(braked.data(), heavy, n * sizeof(Heavy), cudaMemcpyDeviceToHost);
  for (const Heavy &item : braked)
    sum += item.speed;
  cudaFree(heavy);
  cudaFree(unused);
  cudaFree(light);
  cudaFree(points);
  std::printf("%.9g\n", sum);
}
