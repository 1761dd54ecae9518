#include <cstdio>

struct Point {
  double energy, weight;
};
#include "point_layout.h"

template <class Points> __host__ __device__ double interpolate(Points points, int n, double energy);
template <class Points> double interpolate_host(Points points, int n, double energy);

// The first point that is not below, by bisection.
template <class Points>
__host__ __device__ inline int find(Points points, int n, double energy) {
  int low = 0, high = n - 1;
  while (low < high) {
    int middle = (low + high) / 2;
    if (points[middle].energy < energy)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

__host__ __device__ inline int find(ConstPointView points, int n, double energy) {
  int low = 0, high = n - 1;
  while (low < high) {
    int middle = (low + high) / 2;
    if (points.energy(middle) < energy)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

template <class Points>
inline int find_host(Points points, int n, double energy) {
  int low = 0, high = n - 1;
  while (low < high) {
    int middle = (low + high) / 2;
    if (points[middle].energy < energy)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

template <class Points>
__host__ __device__ double interpolate(Points points, int n, double energy) {
  int i = find(points, n, energy);
  Point point = points[i];
  return point.weight * energy / point.energy;
}

__host__ __device__ double interpolate(ConstPointView points, int n, double energy) {
  int i = find(points, n, energy);
  Point point = points.load(i);
  return point.weight * energy / point.energy;
}

template <class Points>
double interpolate_host(Points points, int n, double energy) {
  int i = find_host(points, n, energy);
  Point point = points[i];
  return point.weight * energy / point.energy;
}

__global__ void lookup(ConstPointView points, double *results, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    results[i] = interpolate(points, n, 0.5 + (i * 7) % n);
}

void lookupOnHost(const Point *points, double *results, int n) {
  for (int i = 0; i < n; ++i)
    results[i] = interpolate_host(points, n, 0.5 + (i * 7) % n);
}

int main() {
  const int n = 64;
  Point host[n];
  PointView points;
  double results[n], expected[n], *onDevice;
  for (int i = 0; i < n; ++i)
    host[i] = {1.0 + i, 0.25 * i};
  pointMalloc(&points, sizeof host);
  cudaMalloc(&onDevice, sizeof results);
  pointMemcpy(points, host, sizeof host, cudaMemcpyHostToDevice);
  lookup<<<2, 32>>>(points, onDevice, n);
  cudaMemcpy(results, onDevice, sizeof results, cudaMemcpyDeviceToHost);
  lookupOnHost(host, expected, n);
  std::printf("%g %g\n", results[5], expected[5]);
  pointFree(points);
  cudaFree(onDevice);
}
