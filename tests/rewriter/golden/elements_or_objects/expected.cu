// Device functions that are given elements of an array, and objects in other memory.
#include <cstdio>

struct Body {
  float x, y, mass;
  int hits;
};
#include "body_layout.h"

// Of elements and of objects, in each combination.
__device__ float distance(ConstBodyView a, ConstBodyView b) {
  float dx = a.x() - b.x(), dy = a.y() - b.y();
  return sqrtf(dx * dx + dy * dy);
}

__device__ float distance(const Body *a, ConstBodyView b) {
  float dx = a->x - b.x(), dy = a->y - b.y();
  return sqrtf(dx * dx + dy * dy);
}

__device__ float distance(ConstBodyView a, const Body *b) {
  float dx = a.x() - b->x, dy = a.y() - b->y;
  return sqrtf(dx * dx + dy * dy);
}

__device__ float distance(const Body *a, const Body *b) {
  float dx = a->x - b->x, dy = a->y - b->y;
  return sqrtf(dx * dx + dy * dy);
}

__device__ void assign(Body *to, ConstBodyView from); // is defined below
__device__ void assign(BodyView to, const Body *from);
__device__ void assign(Body *to, const Body *from);

namespace motion {

  /* Moves one. */
  static __device__ __forceinline__ void update(BodyView b, float dt) {
    b.x() += dt * b.mass();
    b.y() -= dt;
    ++b.hits();
  }

  static __device__ __forceinline__ void update(Body *b, float dt) {
    b->x += dt * b->mass;
    b->y -= dt;
    ++b->hits;
  }

} // namespace motion

// Calls others with what it is given, and with an object of its own.
__device__ void relax(BodyView b, ConstBodyView to) {
  Body before;
  assign(&before, b);
  motion::update(b, 0.5f);
  if (distance(b, to) > distance(&before, to))
    assign(b, &before);
}

__device__ void relax(BodyView b, const Body *to) {
  Body before;
  assign(&before, b);
  motion::update(b, 0.5f);
  if (distance(b, to) > distance(&before, to))
    assign(b, &before);
}

__device__ void relax(Body *b, const Body *to) {
  Body before;
  assign(&before, b);
  motion::update(b, 0.5f);
  if (distance(b, to) > distance(&before, to))
    assign(b, &before);
}

__device__ void assign(Body *to, ConstBodyView from) {
  *to = from.load();
  to->hits = from.hits() + 1;
}

__device__ void assign(BodyView to, const Body *from) {
  to.store(0, *from);
  to.hits() = from->hits + 1;
}

__device__ void assign(Body *to, const Body *from) {
  *to = *from;
  to->hits = from->hits + 1;
}

// On both sides.
__host__ __device__ inline float energy(ConstBodyView b) {
  return 0.5f * b.mass() * (b.x() * b.x() + b.y() * b.y());
}

__host__ __device__ inline float energy(const Body *b) {
  return 0.5f * b->mass * (b->x * b->x + b->y * b->y);
}

// On both sides, and of objects only on the host.
__host__ __device__ inline bool isFar(ConstBodyView b) { return energy(b) > 100; }

inline bool isFarHost(const Body *b) { return energy(b) > 100; }

// No call says what `by` is.
__device__ void push(BodyView b, const Body *by) {
  b.x() += by ? by->mass : 0.25f;
}

__device__ void push_local(Body *b, ConstBodyView by) {
  b->x += by ? by.mass() : 0.25f;
}

// Is an overload already, and walks.
__device__ float total(const float *values, int n) { return n > 0 ? values[0] : 0; }
__device__ float total(ConstBodyView bodies, int n) {
  float sum = 0;
  for (ConstBodyView b = bodies; b != bodies + n; ++b)
    sum += b.mass();
  return sum;
}

__device__ float total(const Body *bodies, int n) {
  float sum = 0;
  for (const Body *b = bodies; b != bodies + n; ++b)
    sum += b->mass;
  return sum;
}

__global__ void step(BodyView bodies, float *energies, int n, Body probe) {
  __shared__ Body tile[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Body own = bodies.load(i);
  motion::update(&own, 0.25f);
  motion::update(bodies + i, 0.125f);
  relax(&own, &probe);
  relax(bodies + i, &own);
  relax(bodies + i, bodies + i);
  assign(&tile[threadIdx.x], bodies + i);
  __syncwarp();
  Body pair[2];
  assign(pair, &tile[31 - threadIdx.x % 32]);
  assign(&pair[1], &own);
  push_local(&own, bodies + i);
  push(bodies + i, nullptr);
  energies[i] = energy(&own) + energy(bodies + i) + distance(pair, bodies + i) + total(pair, 2) +
                total(bodies + i / 32 * 32, 32) + isFar(bodies + i);
}

int main() {
  const int n = 128;
  Body host[n];
  BodyView bodies;
  for (int i = 0; i < n; ++i)
    host[i] = {i * 0.5f, 1.0f - i, 0.25f, i};
  float *energies, found[n], sum = energy(&host[3]) + isFarHost(&host[4]);
  bodyMalloc(&bodies, sizeof(host));
  cudaMalloc(&energies, sizeof(found));
  bodyMemcpy(bodies, host, sizeof(host), cudaMemcpyHostToDevice);
  step<<<n / 32, 32>>>(bodies, energies, n, host[2]);
  bodyMemcpy(host, bodies, sizeof(host), cudaMemcpyDeviceToHost);
  cudaMemcpy(found, energies, sizeof(found), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i)
    sum += found[i] + host[i].hits;
  std::printf("%g\n", sum);
  bodyFree(bodies);
}
