// Functions that take elements by reference and only read them.
// clang-format off
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "float2_layout.h"

#define Tuple float2

__device__ float distance(Tuple & a, Tuple& b);

__device__ void move(Tuple &p, const Tuple & v, float t) {
  p.x = p.x + v.x * t;
  p.y = p.y + v.y * t;
}

__device__ void bounce(const Tuple & p, const Tuple & v, Tuple & out) {
  out.x = (p.x < 0 || p.x > 8) ? -v.x : v.x;
  out.y = (p.y < 0 || p.y > 8) ? -v.y : v.y;
}

__device__ float distance(Tuple & a, Tuple& b) {
  Tuple &from = b;
  float dx = a.x - b.x, dy = a.y - (b).y;
  return dx * dx + dy * dy + 0 * from.x;
}

__device__ float near(const float2 &a, const float2 &b) {
  float dx = a.x - b.x;
  return dx * dx;
}

__device__ void collide(const Tuple & p1, const Tuple & v1, const Tuple & p2, const Tuple & v2, Tuple & out) {
  float dx = p2.x - p1.x, dy = p2.y - p1.y;
  float length = sqrtf(dx * dx + dy * dy) + 1;
  float across = (-v1.x * dy + v1.y * dx) / length;
  float along = (v2.x * dx + v2.y * dy) / length;
  out.x = along * dx - across * dy;
  out.y = along * dy + across * dx;
}

__global__ void step(Float2View positions, Float2View velocities, int n, float t) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  {
    float2 element = velocities.load(i + n);
    bounce(positions.load(i), velocities.load(i), element);
    velocities.store(i + n, element);
  }
  if (i > 0 && near(positions.load(i), positions.load(i)) < 1.0f)
    velocities.store(i, velocities.load(i + n));
  int j = i ^ 1;
  if (j < n) {
    float2 element = velocities.load(i);
    collide(positions.load(i), velocities.load(i + n), positions.load(j), velocities.load(j + n), element);
    velocities.store(i, element);
  }
  Tuple own = positions.load(i), other = velocities.load(i);
  if (distance(own, other) > 3) {
    float2 element = positions.load(i);
    move(element, velocities.load(i), t);
    positions.store(i, element);
  }
}

int main(int argc, char **argv) {
  int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::vector<Tuple> host(2 * n);
  for (int i = 0; i < 2 * n; ++i) host[i] = make_float2(i % 13 - 2, i % 7 - 3);
  Float2View p, v;
  float2Malloc(&p, n * sizeof(Tuple));
  float2Malloc(&v, 2 * n * sizeof(Tuple));
  float2Memcpy(p, host.data(), n * sizeof(Tuple), cudaMemcpyHostToDevice);
  float2Memcpy(v, host.data(), 2 * n * sizeof(Tuple), cudaMemcpyHostToDevice);
  for (int k = 0; k < 3; ++k) step<<<(n + 127) / 128, 128>>>(p, v, n, 0.5f);
  float2Memcpy(host.data(), p, n * sizeof(Tuple), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += host[i].x + 2 * host[i].y;
  float2Memcpy(host.data(), v, 2 * n * sizeof(Tuple), cudaMemcpyDeviceToHost);
  for (int i = 0; i < 2 * n; ++i) sum += host[i].x + 2 * host[i].y;
  std::printf("%g\n", sum);
  float2Free(p);
  float2Free(v);
}
