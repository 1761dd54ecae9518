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
} // namespace sim
#include "particle_float_layout.h"
#include "particle_double_layout.h"
namespace sim {

template <int D, typename T = float> struct Point {
  T c[D];
  bool isInside;
};
} // namespace sim
#include "point_3_float_layout.h"
namespace sim {

template <typename Real>
__global__ void advance(Particle<Real> *__restrict__ items, const Particle<Real> *others, int n, Real dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    items[i].at.x += others[i].speed * dt;
}

__global__ void advance(ParticleDoubleView items, ConstParticleDoubleView others, int n, double dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    items.at(i).x += others.speed(i) * dt;
}

__global__ void advance(ParticleFloatView items, ConstParticleFloatView others, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    items.at(i).x += others.speed(i) * dt;
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

__device__ bool isInside(sim::ConstPoint3FloatView points, int i) {
  float sum = 0;
  for (int k = 0; k < 3; ++k)
    sum += points.c(i)[k];
  return sum < 3;
}

template <int D> __global__ void classify(Point<D> *points, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    points[i].isInside = isInside(points, i);
}

__global__ void classify(sim::Point3FloatView points, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    points.isInside(i) = isInside(points, i);
}

__global__ void brake(sim::ParticleDoubleView items, sim::ConstParticleFloatView lights, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const sim::ParticleDoubleView item = items + i;
  sim::ConstParticleFloatView light = lights + i;
  item.speed() = 0.5 * light.speed();
}

template <class T> T *upload(const std::vector<T> &values) {
  T *items;
  cudaMalloc(&items, values.size() * sizeof(T));
  cudaMemcpy(items, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return items;
}

sim::ParticleDoubleView upload(const std::vector<sim::Particle<double>> &values) {
  sim::ParticleDoubleView items;
  particleDoubleMalloc(&items, values.size() * sizeof(sim::Particle<double>));
  particleDoubleMemcpy(items, values.data(), values.size() * sizeof(sim::Particle<double>), cudaMemcpyHostToDevice);
  return items;
}

sim::ParticleFloatView upload(const std::vector<sim::Particle<float>> &values) {
  sim::ParticleFloatView items;
  particleFloatMalloc(&items, values.size() * sizeof(sim::Particle<float>));
  particleFloatMemcpy(items, values.data(), values.size() * sizeof(sim::Particle<float>), cudaMemcpyHostToDevice);
  return items;
}

sim::Point3FloatView upload(const std::vector<sim::Point<3>> &values) {
  sim::Point3FloatView items;
  point3FloatMalloc(&items, values.size() * sizeof(sim::Point<3>));
  point3FloatMemcpy(items, values.data(), values.size() * sizeof(sim::Point<3>), cudaMemcpyHostToDevice);
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

template <> double run<double>(int n) {
  std::vector<sim::Particle<double>> host(n);
  for (int i = 0; i < n; ++i) {
    host[i].at.x = i;
    host[i].speed = i % 7;
  }
  sim::ParticleDoubleView items = upload(host), others = upload(host);
  sim::advance<<<(n + 63) / 64, 64>>>(items, others, n, double(0.5));
  sim::advance<<<(n + 63) / 64, 64>>>(items, others, n, double(0.25));
  particleDoubleMemcpy(host.data(), items, n * sizeof(sim::Particle<double>), cudaMemcpyDeviceToHost);
  particleDoubleFree(items);
  particleDoubleFree(others);
  double sum = 0;
  for (const auto &item : host)
    sum += item.at.x;
  return sum;
}

template <> double run<float>(int n) {
  std::vector<sim::Particle<float>> host(n);
  for (int i = 0; i < n; ++i) {
    host[i].at.x = i;
    host[i].speed = i % 7;
  }
  sim::ParticleFloatView items = upload(host), others = upload(host);
  sim::advance<<<(n + 63) / 64, 64>>>(items, others, n, float(0.5));
  sim::advance<<<(n + 63) / 64, 64>>>(items, others, n, float(0.25));
  particleFloatMemcpy(host.data(), items, n * sizeof(sim::Particle<float>), cudaMemcpyDeviceToHost);
  particleFloatFree(items);
  particleFloatFree(others);
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
  sim::Point3FloatView points = upload(host);
  classify<<<(n + 63) / 64, 64>>>(points, n);
  point3FloatMemcpy(host.data(), points, n * sizeof(Point<3>), cudaMemcpyDeviceToHost);
  for (const Point<3> &point : host)
    sum += point.isInside;
  sim::ParticleDoubleView heavy, unused;
  sim::ParticleFloatView light;
  particleDoubleMalloc(&heavy, n * sizeof(Heavy));
  particleDoubleMalloc(&unused, n * sizeof(Heavy));
  particleFloatMalloc(&light, n * sizeof(sim::Particle<float>));
  particleDoubleMemset(heavy, 0, n * sizeof(Heavy));
  particleFloatMemset(light, 1, n * sizeof(Alias<float>));
  brake<<<(n + 63) / 64, 64>>>(heavy, light, n);
  std::vector<Heavy> braked(n);
  particleDoubleMemcpy(braked.data(), heavy, n * sizeof(Heavy), cudaMemcpyDeviceToHost);
  for (const Heavy &item : braked)
    sum += item.speed;
  particleDoubleFree(heavy);
  particleDoubleFree(unused);
  particleFloatFree(light);
  point3FloatFree(points);
  std::printf("%.9g\n", sum);
}
